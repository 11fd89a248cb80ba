/** Appending and admitting, over whatever a driver writes its log with. */
import assert from "node:assert/strict"
import { isSafelightError, SafelightError, type Append, type Storage } from "@safelight/core"
import { assertConsistent } from "./consistent-append.ts"
import type { WriteLog } from "./sql/log-change.ts"

export type LogMethods = Pick<Storage, "append" | "admit">

export interface LogNews {
  /** A task that is not held was put into the queue. */
  readonly onQueued: () => void
  readonly onAppended: (append: Append) => void
}

export function createLogMethods(
  writeLog: WriteLog,
  { onAppended, onQueued }: LogNews,
): LogMethods {
  function tell(append: Append): void {
    if (isForAnybody(append)) onQueued()
    onAppended(append)
  }

  return {
    async append(append) {
      assertConsistent(append)
      const outcome = await writeLog({ append, isAsked: false, use: undefined })
      if (outcome.kind === "conflict") throw conflict(append)
      tell(append)
    },
    async admit({ append, idempotency: use }) {
      assertConsistent(append)
      assert.equal(append.expectedVersion, 0, "what is admitted is new")
      const outcome = await writeLog({ append, isAsked: true, use }).catch(rejectAdmission)
      if (outcome.kind === "conflict") throw conflict(append)
      if (outcome.kind === "admitted") tell(append)
      return outcome
    },
  }
}

function isForAnybody({ queue }: Append): boolean {
  return queue !== undefined && queue.kind !== "finish" && queue.lease === null
}

/** An admission that may be stored must not be taken for a refusal. */
function rejectAdmission(error: unknown): never {
  if (!isSafelightError(error) || error.isUndone || !error.retryable) throw error
  const message = `whether the task was stored is unknown: ${error.message}`
  throw new SafelightError({ code: "outcome-unknown", message, cause: error })
}

function conflict({ task, expectedVersion }: Append): SafelightError {
  const message = `task ${task} is not at version ${expectedVersion}`
  return new SafelightError({ code: "version-conflict", message })
}
