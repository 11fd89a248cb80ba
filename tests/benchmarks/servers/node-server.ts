/** One node of several: the whole service over a PostgreSQL database, with the studio behind it. */
import { createKey } from "@safelight/access"
import { createService, loadConfiguration } from "safelight"
import { announce } from "./announce.ts"

const [database = "", folder = ""] = process.argv.slice(2)
const configuration = await loadConfiguration({
  flags: { data: folder, database, port: "0" },
  environment: {},
  folder,
})
const { defaults } = configuration.accounts
const accounts = { defaults: { ...defaults, runningTasks: 2 } }
const studio = { ...configuration.studio, sandbox: true }
const service = await createService({ configuration: { ...configuration, accounts, studio } })
const { key } = await createKey({ keys: service.storage, account: "ada", now: Date.now() })
announce({ url: service.url, key })
