/** Reads server-sent events (WHATWG HTML §9.2) piece by piece, as a client of the faults sees them. */
export interface ServerEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

export interface ServerEventReader {
  /** The events that are complete with this piece. */
  read(piece: Uint8Array): readonly ServerEvent[]
}

export function createServerEventReader(): ServerEventReader {
  const decoder = new TextDecoder()
  let text = ""
  return {
    read(piece) {
      text += decoder.decode(piece, { stream: true })
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      return blocks.flatMap(toEvent)
    },
  }
}

/** None for a comment, or where nothing but the time until the next try is told. */
function toEvent(block: string): readonly ServerEvent[] {
  const fields = new Map(
    block.split("\n").map((line) => {
      const at = line.indexOf(": ")
      return [line.slice(0, at), line.slice(at + 2)] as const
    }),
  )
  const data = fields.get("data")
  if (data === undefined) return []
  return [{ id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data }]
}
