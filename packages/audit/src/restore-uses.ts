/**
 * Idempotency keys of imported tasks. A key that stands for another task of its account by now keeps that
 * task and is reported: one request may have made two tasks.
 */
import type { Storage } from "@safelight/core"
import type { RecordOf } from "./export-format.ts"
import { createKeptFindings, type FindingReport } from "./kept-findings.ts"

/** A key of `task` stands for another task of `account`; the key itself is the client's, and not shown. */
export interface UseFinding {
  readonly account: string
  readonly task: string
}

export type UseReport = FindingReport<UseFinding>

export interface UseRestorer {
  /** Twice is the same as once. */
  restore(record: RecordOf<"stream">, account: string): Promise<void>
  toReport(): UseReport
}

export function createUseRestorer(storage: Pick<Storage, "restoreIdempotency">): UseRestorer {
  const findings = createKeptFindings<UseFinding>()
  return {
    async restore({ task, idempotency }, account) {
      const restoring = idempotency.map(async (use) => {
        const isRestored = await storage.restoreIdempotency({ account, task, use })
        if (!isRestored) findings.add({ account, task })
      })
      await Promise.all(restoring)
    },
    toReport: () => findings.toReport(),
  }
}
