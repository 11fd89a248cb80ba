/** Pictures in an Express application. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import express, { type Response } from "express"
import { orderPicture, receiveWebhook, showPicture, type Answer } from "../pictures.ts"

const app = express()
// Before express.json(), which would parse what must be verified as it came.
app.post("/webhook", express.text({ type: "application/json" }), async (request, response) => {
  send(response, await receiveWebhook(request.headers, request.body as string))
})
app.use(express.json())
app.post("/pictures", async (request, response) => send(response, await orderPicture(request.body)))
app.get("/pictures/:task", (request, response) => send(response, showPicture(request.params.task)))

function send(response: Response, { body, status }: Answer): void {
  response.status(status).json(body)
}

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
await once(server, "listening")
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => server.close())
