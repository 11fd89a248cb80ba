/** The task API below /media of a Hono application, on Node. */
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { openMedia } from "../media.ts"
import { onStop } from "../stop.ts"

let url = ""
const media = await openMedia({ folder: "data", publicUrl: () => url })

const app = new Hono()
// `mount` removes the prefix. Without one, app.route("/", media.handler.app) is all that it takes.
app.mount("/media", (request) => media.handler.fetch(request))
app.post("/echo", async (context) => context.json(await context.req.json()))

const port = Number(process.env["PORT"] ?? 3000)
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) => {
  url = `http://127.0.0.1:${address.port}/media`
  console.log(`${url} ${media.key}`)
})

onStop(async () => {
  server.close()
  await media.close()
})
