/** The whole service as `safelight serve` assembles it, with the studio behind it. */
import { createFirstKey } from "@safelight/access"
import { createService, loadConfiguration } from "safelight"
import { announce } from "./announce.ts"

const folder = process.argv[2] ?? ""
const configuration = await loadConfiguration({
  flags: { data: folder, port: "0" },
  environment: {},
  folder,
})
const service = await createService({ configuration })
const created = await createFirstKey(service.storage, Date.now())
announce({ url: service.url, key: created?.key })
