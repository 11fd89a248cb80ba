/** The WebSockets of a stub: the listener of each path, and the open sockets. */
import type { Server } from "node:http"
import { createCall, type StubCall } from "./stub-call.ts"
import { acceptSocket, type TextSocket } from "./text-socket.ts"

export type SocketListener = (call: StubCall, socket: TextSocket) => void

export interface StubSockets {
  listen(path: string, listener: SocketListener): void
  /** Closes all open sockets, which closing the server leaves open. */
  close(): void
}

export function createSockets(server: Server, hosts: readonly string[]): StubSockets {
  const listeners = new Map<string, SocketListener>()
  const open = new Set<TextSocket>()
  server.on("upgrade", (request, stream) => {
    const call = createCall(request, Buffer.alloc(0), hosts)
    const listener = listeners.get(call.path)
    const socket = listener === undefined ? undefined : acceptSocket(request, stream)
    if (listener === undefined || socket === undefined) {
      stream.destroy()
      return
    }
    open.add(socket)
    socket.onClose(() => open.delete(socket))
    listener(call, socket)
  })
  return {
    listen: (path, listener) => void listeners.set(path, listener),
    close() {
      for (const socket of open) socket.drop()
    },
  }
}
