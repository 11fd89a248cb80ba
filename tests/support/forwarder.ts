/** A public address on the loopback that is known before the service behind it listens. */
import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"

export interface Forwarder extends AsyncDisposable {
  readonly url: string
  /** Where its requests go, as `http://127.0.0.1:8787`; set once that is known. */
  target: string
}

export async function openForwarder(): Promise<Forwarder> {
  const server = createServer((incoming, outgoing) => {
    const { headers, method, url } = incoming
    const options = { method, headers, agent: false } as const
    const onward = send(`${forwarder.target}${url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const forwarder: Forwarder = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: "",
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return forwarder
}
