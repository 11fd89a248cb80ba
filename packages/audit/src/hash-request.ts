/** What a task's log is committed to, made again of the request that stands in a file. */
import type { Digest } from "@safelight/core"
import type { RecordOf } from "./export-format.ts"

/** Undefined without a request; null if its salt is none. */
export function hashRequest(
  inputs: RecordOf<"stream">["inputs"],
  digest: Digest,
): string | null | undefined {
  const request = inputs.find(({ name }) => name === "request")
  if (request === undefined) return undefined
  const isSalt = /^(?:[0-9a-f]{2})+$/.test(request.salt)
  return isSalt ? digest([{ hex: request.salt }, request.body]) : null
}
