/** Erasing what was written for a task; the writing connection overwrites what it deletes. */
import type { Storage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import { createEncoder } from "./append-change.ts"
import type { Writer } from "./writer.ts"

export function createEraseInputs(
  writer: Writer,
  { append }: StoreStatements,
): Storage["eraseInputs"] {
  const encode = createEncoder(writer.toNumber)
  return async (task) => {
    const change = encode([{ statement: append.eraseInputs, values: { task } }])
    const outcome = await writer.write(change)
    return typeof outcome === "object" && outcome[0] !== 0
  }
}
