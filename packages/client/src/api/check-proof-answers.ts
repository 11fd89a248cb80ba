/** Checks the answers about the signed log, as far as the client relies on them: `verifyTaskProof` checks the rest. */
import type { SignedLog, TaskProof } from "./proof-answers.ts"

export function isTaskProof(value: unknown): value is TaskProof {
  const { checkpoint, events, format, task } = toMembers<TaskProof>(value)
  const isNamed = format === "safelight-proof" && [task, checkpoint].every(isText)
  return isNamed && Array.isArray(events)
}

export function isSignedLog(value: unknown): value is SignedLog {
  const { keys, origin } = toMembers<SignedLog>(value)
  return isText(origin) && Array.isArray(keys) && keys.every(isText)
}

function toMembers<Shape>(value: unknown): Partial<Record<keyof Shape, unknown>> {
  return typeof value === "object" && value !== null ? value : {}
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
