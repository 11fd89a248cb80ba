/** A client that writes exactly what it is told and keeps what comes back. */
import { connect, type Socket } from "node:net"

export interface RawClient {
  readonly socket: Socket
  send(text: string | Uint8Array): void
  /** Resolves once what came matches; rejects where the server closes before. */
  receive(pattern: RegExp): Promise<string>
  /** Resolves with all that came once the server has closed. */
  ended(): Promise<string>
}

export function createRawClient(url: string): RawClient {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let text = ""
  let isClosed = false
  let wake: (() => void)[] = []

  function notify(): void {
    for (const each of wake.splice(0)) each()
  }
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    text += chunk
    notify()
  })
  socket.on("error", notify)
  socket.on("close", () => {
    isClosed = true
    notify()
  })

  async function until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      if (isClosed) throw new Error(`closed after ${JSON.stringify(text.slice(0, 500))}`)
      await new Promise<void>((resolve) => wake.push(resolve))
    }
  }

  return {
    socket,
    send: (bytes) => {
      socket.write(bytes)
    },
    async receive(pattern) {
      await until(() => pattern.test(text))
      return text
    },
    async ended() {
      await until(() => isClosed)
      return text
    },
  }
}
