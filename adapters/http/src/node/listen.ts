/** Makes a server listen, and returns the URL at which it can be reached. */
import type { Server } from "node:http"
import { SafelightError } from "@safelight/core"

export interface ListenOptions {
  readonly host: string
  readonly port: number
}

/** Resolves to the server's URL; rejects with `invalid-configuration`, naming host and port. */
export function listen(server: Server, { host, port }: ListenOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    function onError(cause: unknown): void {
      const message = `cannot listen on host ${host}, port ${port}: ${toReason(cause)}`
      reject(new SafelightError({ code: "invalid-configuration", message, cause }))
    }
    server.once("error", onError)
    try {
      server.listen({ host, port }, () => {
        server.off("error", onError)
        resolve(toUrl(server, host))
      })
    } catch (error) {
      // A port out of range is thrown, not emitted.
      onError(error)
    }
  })
}

function toReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message
}

function toUrl(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  return `http://${toReachable(host)}:${port}`
}

/** An address that listens to every interface is not one to call. */
function toReachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1"
  if (host === "::") return "[::1]"
  return host.includes(":") ? `[${host}]` : host
}
