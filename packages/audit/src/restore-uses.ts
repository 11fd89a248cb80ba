/**
 * Idempotency keys of imported tasks. One that stands for another task of its account by now is left to
 * it and reported: what was asked for once may be there twice.
 */
import type { Storage } from "@safelight/core"
import type { StreamRecord } from "./export-format.ts"

/** A key of `task` stands for another task of `account`; the key itself is the client's, and not told. */
export interface UseFinding {
  readonly account: string
  readonly task: string
}

export interface UseReport {
  readonly findings: readonly UseFinding[]
  /** All; the first of them are in `findings`. */
  readonly findingCount: number
}

export interface UseRestorer {
  /** Twice is the same as once. */
  restore(record: StreamRecord, account: string): Promise<void>
  toReport(): UseReport
}

/** Enough to see what happened. */
const KEPT_FINDINGS = 100

export function createUseRestorer(storage: Pick<Storage, "restoreIdempotency">): UseRestorer {
  const findings: UseFinding[] = []
  let findingCount = 0

  function record(finding: UseFinding): void {
    findingCount += 1
    if (findings.length < KEPT_FINDINGS) findings.push(finding)
  }

  return {
    async restore({ task, idempotency }, account) {
      const restoring = idempotency.map(async (use) => {
        if (!(await storage.restoreIdempotency({ account, task, use }))) record({ account, task })
      })
      await Promise.all(restoring)
    },
    toReport: () => ({ findings, findingCount }),
  }
}
