/** Pictures in a Hono application. On another runtime than Node only the last lines differ. */
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { orderPicture, receiveWebhook, showPicture, type Answer } from "../pictures.ts"

const app = new Hono()
app.post("/webhook", async ({ req }) => {
  return toResponse(await receiveWebhook(req.raw.headers, await req.text()))
})
app.post("/pictures", async ({ req }) => toResponse(await orderPicture(await req.json())))
app.get("/pictures/:task", ({ req }) => toResponse(showPicture(req.param("task"))))

function toResponse({ body, status }: Answer): Response {
  return Response.json(body, { status })
}

const port = Number(process.env["PORT"] ?? 3000)
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) => {
  console.log(`http://127.0.0.1:${address.port}`)
})

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => server.close())
