/**
 * Erasing what was written for a task, and forgetting what is no longer needed; the writing
 * connection overwrites what it deletes.
 */
import type { Storage } from "@safelight/core"
import type { StoreStatements } from "@safelight/store"
import { createEncoder } from "./encode-change.ts"
import type { Writer } from "./writer.ts"

export type ErasingMethods = Pick<Storage, "eraseInputs" | "forgetIdempotency">

export function createErasingMethods(
  writer: Writer,
  { admission, append }: StoreStatements,
): ErasingMethods {
  const { plain } = createEncoder(writer.toNumber)
  return {
    async eraseInputs(task, { keepsIdempotency } = { keepsIdempotency: false }) {
      const inputs = { statement: append.eraseInputs, values: { task } }
      const key = { statement: admission.eraseIdempotency, values: { task } }
      const change = plain(keepsIdempotency ? [inputs] : [inputs, key])
      const outcome = await writer.write(change)
      return typeof outcome === "object" && outcome[0] !== 0
    },
    async forgetIdempotency({ usedBefore, limit }) {
      const values = { used_at: usedBefore, limit }
      const change = plain([{ statement: admission.forgetIdempotency, values }])
      const outcome = await writer.write(change)
      return typeof outcome === "object" ? Number(outcome[0]) : 0
    },
  }
}
