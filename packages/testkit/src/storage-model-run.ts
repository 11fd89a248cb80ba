/**
 * One generated run: every call goes to the storage under test and to one in memory, and their answers
 * have to be the same. Other runs have left their own tasks, models and leases in the storage, so every
 * name that a call has is the run's own, and an answer about all of them is compared by those names.
 */
import assert from "node:assert/strict"
import { isSafelightError, type AdmitRequest, type Storage } from "@safelight/core"
import { createMemoryStorage } from "./memory/memory-storage.ts"
import type { SampleAppend } from "./sample-task.ts"
import { MODELS } from "./storage-fixture.ts"

export interface Run {
  /** In memory. It takes the same calls, and holds nothing of other runs. */
  readonly model: Storage
  /** The answer of the two storages; undefined if the call is a conflict in both. */
  readonly ask: Ask
  readonly toId: (task: number) => string
  readonly toModels: (models: readonly number[]) => string[]
  readonly toAccount: (account: number) => string
  /** Of a lease. */
  readonly toName: (name: string) => string
  readonly isMine: (name: string) => boolean
  /** Every append that was tried of a task, in order. */
  readonly tried: Map<string, SampleAppend[]>
  /** The newest admission that was tried of a task. */
  readonly admissions: Map<string, TriedAdmission>
}

/** `toComparable` leaves out what is another run's, and puts what has no order into one. */
export type Ask = <Answer>(
  call: (storage: Storage) => Promise<Answer>,
  toComparable?: (answer: Answer) => unknown,
) => Promise<Answer | undefined>

export interface TriedAdmission {
  readonly request: AdmitRequest
  readonly sample: SampleAppend
}

export function startRun(storage: Storage, name: string): Run {
  const model = createMemoryStorage()
  const toName = (known: string | number) => `${name}:${known}`
  return {
    model,
    async ask(call, toComparable = (answer) => answer) {
      const answer = await call(storage).catch(toConflict)
      const right = await call(model).catch(toConflict)
      const [one, other] = [answer, right].map((each) => each && toComparable(each))
      assert.deepEqual(one, other)
      return right
    },
    toId: toName,
    toModels: (models) => models.map((each) => toName(MODELS[each] ?? "")),
    toAccount: (account) => toName(`account-${account}`),
    toName,
    isMine: (other) => other.startsWith(`${name}:`),
    tried: new Map(),
    admissions: new Map(),
  }
}

function toConflict(error: unknown): undefined {
  assert.ok(isSafelightError(error) && error.code === "version-conflict", String(error))
}
