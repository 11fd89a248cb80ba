/** The task API below /media of an Express application. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import express from "express"
import { openMedia } from "../media.ts"
import { onStop } from "../stop.ts"

let url = ""
const media = await openMedia({ folder: "data", publicUrl: () => url })

const app = express()
// Express removes the prefix by itself. It stands in front of express.json(), which would read the body.
app.use(
  "/media",
  getRequestListener((request) => media.handler.fetch(request)),
)
app.use(express.json())
app.post("/echo", (request, response) => void response.json(request.body))

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
await once(server, "listening")
url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`
console.log(`${url} ${media.key}`)

onStop(async () => {
  server.close()
  await media.close()
})
