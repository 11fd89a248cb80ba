/** The plain way to serve a file: `node:http` and `createReadStream` with its defaults, piped. */
import { createReadStream, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { announce } from "./announce.ts"

const file = process.argv[2] ?? ""
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-length": statSync(file).size })
  createReadStream(file).pipe(response)
})
server.listen(0, "127.0.0.1", () => {
  announce({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
