/** Reads server-sent events (WHATWG HTML §9.2), as far as the service uses them. */
import { clientError } from "../connection/api-error.ts"

export interface ServerEvent {
  /** Empty if the event has none. */
  readonly id: string
  readonly event: string
  readonly data: string
}

/**
 * Rejects as `pieces` does, and with `invalid_answer` if an event has more than `mostCharacters`. An event
 * that is cut off at the end is left out. `onRetry` gets how long to wait before connecting again, ms.
 */
export async function* readEvents(
  pieces: AsyncIterable<Uint8Array>,
  mostCharacters: number,
  onRetry: (pauseMs: number) => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true }).replaceAll("\r", "")
    const blocks = text.split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = toFields(block)
      const retry = Number(fields.get("retry") ?? "none")
      if (Number.isSafeInteger(retry) && retry >= 0) onRetry(retry)
      const data = fields.get("data")
      if (data === undefined) continue
      yield { id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data }
    }
    if (text.length > mostCharacters) {
      throw clientError("invalid_answer", `an event has more than ${mostCharacters} characters`)
    }
  }
}

/** Comments have no name and are left out. */
function toFields(block: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of block.split("\n")) {
    const at = line.indexOf(":")
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).replace(/^ /, ""))
  }
  return fields
}
