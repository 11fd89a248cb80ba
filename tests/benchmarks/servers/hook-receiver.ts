/**
 * Receivers of webhooks: one that takes every message at once, and below `/dead` any number that never answer.
 * Asked for what it "received", it answers with the number of messages that it took.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { announce } from "./announce.ts"

let received = 0
const server = createServer((request, response) => {
  if (request.url?.startsWith("/dead") === true) return
  request.resume()
  request.on("end", () => {
    received += 1
    response.end()
  })
})
server.listen(0, "127.0.0.1", () => {
  announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
process.on("message", (question) => {
  if (question === "received") process.send?.(received)
})
