/** A stream's texts, written straight to Node's response. */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { TextHead, TextSink, TextSinkListener } from "../streams/text-sink.ts"

export function createNodeText(
  { outgoing, socket }: { readonly outgoing: ServerResponse; readonly socket: Socket },
  { status, headers }: TextHead,
  { onReady, onOver }: TextSinkListener,
): TextSink {
  let isOver = false

  function finish(): void {
    if (isOver) return
    isOver = true
    socket.off("close", finish)
    socket.off("end", leave)
    onOver()
  }
  /** The client has closed its side: it sends nothing more, and the stream ends with it. */
  function leave(): void {
    outgoing.end()
    finish()
  }

  outgoing.writeHead(status, headers)
  outgoing.flushHeaders()
  outgoing.on("drain", onReady)
  // Node emits no close for a response that waits behind another on its connection.
  socket.on("close", finish)
  socket.on("end", leave)
  if (socket.destroyed) finish()
  // A socket that has ended already emits no event.
  else if (socket.readableEnded) leave()
  return {
    write: (text) => isOver || outgoing.write(text),
    end() {
      if (!isOver) outgoing.end()
      finish()
    },
  }
}
