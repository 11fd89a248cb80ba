/** An output that is a text of an answer, or the pieces of one. */
import type { Json, OpenedOutput } from "@safelight/core"

/** Undefined if the value is neither a text nor a list of texts, or is empty. */
export function toTextOutput(value: Json | undefined): OpenedOutput | undefined {
  const pieces: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!pieces.every((piece) => typeof piece === "string")) return undefined
  const text = pieces.join("")
  if (text === "") return undefined
  return { mimeType: "text/plain", open: () => readText(text) }
}

// oxlint-disable-next-line typescript/require-await -- its reader waits
async function* readText(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text)
}
