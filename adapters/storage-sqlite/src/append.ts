/**
 * Appending and admitting. Where something stops either, the log itself tells whether it is stored
 * already: hashes are chained, so the newest one speaks for all of them. That makes an admission
 * whose answer was lost right the second time, when its own key or its own reservation stops it.
 */
import assert from "node:assert/strict"
import {
  SafelightError,
  type Admission,
  type AdmitRequest,
  type Append,
  type Storage,
} from "@safelight/core"
import { toIdempotencyRecord, type StoreStatements } from "@safelight/store"
import { toAppendSteps } from "./append-change.ts"
import { createEncoder, type Step } from "./encode-change.ts"
import type { StepResult } from "./protocol.ts"
import type { Reader } from "./reader.ts"
import { toAdmissionError } from "./storage-error.ts"
import type { Writer } from "./writer.ts"

export type AppendMethods = Pick<Storage, "append" | "admit">

export function createAppendMethods(
  writer: Writer,
  reader: Reader,
  statements: StoreStatements,
): AppendMethods {
  const { guarded } = createEncoder(writer.toNumber)

  function isStoredAlready({ events }: Append): boolean {
    const newest = events.at(-1)
    if (newest === undefined) return false
    const { task, version, hash } = newest
    const { findEventHash } = statements.append
    const [stored] = reader.all<{ readonly hash: string }>(findEventHash, { task, version })
    return stored?.hash === hash
  }

  return {
    async append(append) {
      const outcome = await writer.write(guarded(toAppendSteps(statements, append)))
      if (outcome !== true && !isStoredAlready(append)) throw conflict(append)
    },
    async admit(request) {
      const { append, idempotency } = request
      assert.equal(append.expectedVersion, 0, "what is admitted is new")
      const checks = toChecks(statements, request)
      const steps = toAppendSteps(statements, append)
      if (idempotency !== undefined) {
        const values = toIdempotencyRecord(append.changes.task, idempotency)
        steps.push({ statement: statements.admission.insertIdempotency, values })
      }
      const outcome = await writer.write(guarded(steps, checks)).catch((error: unknown) => {
        throw toAdmissionError(error)
      })
      if (outcome === true || isStoredAlready(append)) return { kind: "admitted" }
      if (outcome === false) throw conflict(append)
      return toRefusal(outcome, idempotency !== undefined)
    },
  }
}

/** What may stop an admission: its key, where it has one, then the account's bounds. */
function toChecks(
  { admission }: StoreStatements,
  { append, idempotency }: AdmitRequest,
): readonly Step[] {
  const { account, reservationMicros: reservation_micros } = append.changes.task
  const bounds = { statement: admission.findFullBound, values: { account, reservation_micros } }
  if (idempotency === undefined) return [bounds]
  const { key } = idempotency
  return [{ statement: admission.findIdempotency, values: { account, key } }, bounds]
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
