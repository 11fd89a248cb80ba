/**
 * Idempotency keys of imported tasks. A key that stands for another task of its account by now keeps that
 * task and is reported: one request may have made two tasks.
 */
import type { Storage } from "@safelight/core"
import type { RecordOf } from "./export-format.ts"
import type { FindingReport } from "./kept-findings.ts"

/** A key of `task` stands for another task of `account`. The key itself is the client's, and not shown. */
export interface UseFinding {
  readonly account: string
  readonly task: string
}

export type UseReport = FindingReport<UseFinding>

/** Twice is the same as once. */
export async function restoreUses(
  { task, idempotency }: RecordOf<"stream">,
  account: string,
  storage: Storage,
  find: (finding: UseFinding) => void,
): Promise<void> {
  const restoring = idempotency.map(async (use) => {
    if (!(await storage.restoreIdempotency({ account, task, use }))) find({ account, task })
  })
  await Promise.all(restoring)
}
