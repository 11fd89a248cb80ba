/**
 * A whole service with a hundred models, the three and those of the catalogue under several names, in a process of
 * its own. Tells the parent where it listens, and a key.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createKey } from "@safelight/access"
import { listCatalogue } from "@safelight/catalogue"
import { SILENT_LOG } from "@safelight/core"
import { createService, loadConfiguration } from "safelight"
import { announce } from "./announce.ts"

/** Besides the three. */
const MORE_MODELS = 97
const [folder = ""] = process.argv.slice(2)

const models = join(folder, "models")
await mkdir(models)
const listed = await listCatalogue()
for (let count = 0; count < MORE_MODELS; count += 1) {
  const found = listed[count % listed.length]
  if (found === undefined) throw new Error("the catalogue is empty")
  const { providers: _, ...file } = found.file
  const own = { price: { perRequestMicros: 1_000 }, ...file, id: `own-${count}/${found.name}` }
  await writeFile(join(models, `${count}.json`), JSON.stringify(own))
}
await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ models: ["./models"] }))
const flags = { port: "0", sandbox: true } as const
const configuration = await loadConfiguration({ flags, environment: {}, folder })
const service = await createService({ configuration, environment: {}, log: SILENT_LOG })
const { key } = await createKey({ keys: service.storage, account: "doors", now: Date.now() })
announce({ url: service.url, key, models: configuration.models.length })
