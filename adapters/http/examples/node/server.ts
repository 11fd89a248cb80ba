/** The task API on a port of its own, without a framework. This server has all of the adapter's own limits. */
import { createNodeServer } from "@safelight/http"
import { openMedia } from "../media.ts"
import { onStop } from "../stop.ts"

let url = ""
const media = await openMedia({ folder: "data", publicUrl: () => url })
const port = Number(process.env["PORT"] ?? 3000)
const server = await createNodeServer({ handler: media.handler, host: "127.0.0.1", port })
url = server.url
console.log(`${url} ${media.key}`)

onStop(async () => {
  await server.close({ graceMs: 10_000 })
  await media.close()
})
