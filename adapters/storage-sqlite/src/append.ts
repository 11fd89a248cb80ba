/**
 * Appending and admitting. Where something stops either, the log itself tells whether it is stored
 * already: hashes are chained, so the newest one speaks for all of them. That makes an admission
 * whose answer was lost right the second time, when its own key or its own reservation stops it.
 */
import assert from "node:assert/strict"
import { SafelightError, type Admission, type Append, type Storage } from "@safelight/core"
import {
  APPEND_STATEMENTS,
  assertConsistent,
  createAppendSteps,
  type Compiler,
  type Connections,
  type StepResult,
} from "@safelight/store"
import { toAdmissionError } from "./storage-error.ts"

export type AppendMethods = Pick<Storage, "append" | "admit">

export function createAppendMethods(
  { read, commit }: Connections,
  compiler: Compiler,
): AppendMethods {
  const { toChecks, toSteps, toUse } = createAppendSteps(compiler)
  const { findEventHash } = APPEND_STATEMENTS(compiler)

  async function isStoredAlready({ events }: Append): Promise<boolean> {
    const newest = events.at(-1)
    if (newest === undefined) return false
    const { task, version, hash } = newest
    const [stored] = await read(findEventHash, { task, version })
    return stored?.hash === hash
  }

  return {
    async append(append) {
      assertConsistent(append)
      const outcome = await commit({ steps: toSteps(append), isGuarded: true })
      if (outcome !== true && !(await isStoredAlready(append))) throw conflict(append)
    },
    async admit(request) {
      const { append, idempotency } = request
      assertConsistent(append)
      assert.equal(append.expectedVersion, 0, "what is admitted is new")
      const steps = [...toSteps(append), ...toUse(request)]
      const change = { checks: toChecks(request), steps, isGuarded: true }
      const outcome = await commit(change).catch((error: unknown) => {
        throw toAdmissionError(error)
      })
      if (outcome === true || (await isStoredAlready(append))) return { kind: "admitted" }
      if (outcome === false) throw conflict(append)
      return toRefusal(outcome, idempotency !== undefined)
    },
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

function conflict({ task, expectedVersion }: Append): SafelightError {
  const message = `task ${task} is not at version ${expectedVersion}`
  return new SafelightError({ code: "version-conflict", message })
}
