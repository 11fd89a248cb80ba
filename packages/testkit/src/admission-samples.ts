/** Admissions to test storages with, as short to write as they are to say. */
import type { Admission, IdempotencyUse, Storage } from "@safelight/core"
import { submitSample, type SampleAppend, type SampleSubmission } from "./sample-task.ts"
import { ENQUEUE } from "./storage-fixture.ts"

export const ADMITTED: Admission = { kind: "admitted" }
export const OVER_BUDGET: Admission = { kind: "refused", limit: "budget" }
export const TOO_MANY: Admission = { kind: "refused", limit: "unfinished-tasks" }

/** Another account's, and one that reserves nothing. */
export const ELSEWHERE: Partial<SampleSubmission> = { submitted: { account: "other" } }
export const FREE: Partial<SampleSubmission> = { submitted: { reservationMicros: 0 } }

/** A new task in the queue; it reserves 30,000 micro-units. */
export function toSample(id: string, submission: Partial<SampleSubmission> = {}): SampleAppend {
  return submitSample({ id, queue: ENQUEUE, ...submission })
}

export function toUse(key: string, usedAt = 1_000): IdempotencyUse {
  return { key, fingerprint: "ab".repeat(32), usedAt }
}

export function toKnown(task: string): Admission {
  return { kind: "known", task, fingerprint: "ab".repeat(32) }
}

export function admit(
  storage: Storage,
  { append }: SampleAppend,
  idempotency?: IdempotencyUse,
): Promise<Admission> {
  return storage.admit({ append, ...(idempotency && { idempotency }) })
}

/** Sets bounds of the account of samples. */
export async function bound(
  storage: Storage,
  settings: { readonly budgetMicros?: number | null; readonly unfinishedTasks?: number | null },
): Promise<void> {
  await storage.setAccount({ id: "account", now: 500, settings })
}
