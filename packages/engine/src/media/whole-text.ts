/** Texts: UTF-8 to the last byte, and named as a type that no browser runs. */
import { SafelightError, toEssence } from "@safelight/core"

const TYPES: ReadonlySet<string> = new Set([
  "text/plain",
  "text/vtt",
  "text/csv",
  "text/markdown",
  "application/json",
  "application/x-subrip",
])

/** As it is declared, without its parameters; `text/plain` for any other type. */
export function toTextType(mimeType: string): string {
  const essence = toEssence(mimeType)
  return TYPES.has(essence) ? essence : "text/plain"
}

/** The bytes as they come. Rejects with `media_unreadable` where they are no UTF-8, or none at all. */
export async function* readWholeText(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let bytes = 0
  for await (const chunk of body) {
    decode(() => decoder.decode(chunk, { stream: true }))
    bytes += chunk.length
    yield chunk
  }
  decode(() => decoder.decode())
  if (bytes === 0) throw unreadable("The text is empty.")
}

function decode(read: () => string): void {
  try {
    read()
  } catch (cause) {
    throw unreadable("The text is not UTF-8.", cause)
  }
}

function unreadable(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "media_unreadable", message, cause })
}
