/**
 * Writing the log step by step, where a database takes no batch as one statement. Where something stops
 * an append, the log itself tells whether it is stored already. That makes an admission whose answer was
 * lost right the second time, when its own key or its own reservation stops it.
 */
import assert from "node:assert/strict"
import type { Admission, Append } from "@safelight/core"
import { APPEND_STATEMENTS, createAppendSteps } from "./appends.ts"
import type { Connections, StepResult } from "./sql/driver.ts"
import { ADMITTED, CONFLICT, toNewestEvent, type WriteLog } from "./sql/log-change.ts"
import type { Compiler } from "./sql/statement.ts"

export function createStepLog({ read, commit }: Connections, compiler: Compiler): WriteLog {
  const { toChecks, toSteps, toUse } = createAppendSteps(compiler)
  const { findEventHash } = APPEND_STATEMENTS(compiler)

  async function isStoredAlready(append: Append): Promise<boolean> {
    const { task, version, hash } = toNewestEvent(append)
    const [stored] = await read(findEventHash, { task, version })
    return stored?.hash === hash
  }

  return async (change) => {
    const { append, isAsked, use } = change
    const outcome = await commit({
      ...(isAsked && { checks: toChecks(change) }),
      steps: [...toSteps(append), ...toUse(change)],
      isGuarded: true,
    })
    if (outcome === true || (await isStoredAlready(append))) return ADMITTED
    return outcome === false ? CONFLICT : toRefusal(outcome, use !== undefined)
  }
}

/** The last of `results` is what the check gave that stopped the admission. */
function toRefusal(results: readonly StepResult[], hasKey: boolean): Admission {
  const rows = results.at(-1)
  assert.ok(typeof rows === "object" && rows[0] !== undefined, "a check stops with a row")
  const [first, second] = rows[0]
  if (hasKey && results.length === 1) {
    return { kind: "known", task: String(first), fingerprint: String(second) }
  }
  return { kind: "refused", limit: first === "budget" ? "budget" : "unfinished-tasks" }
}
