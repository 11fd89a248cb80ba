/**
 * Generated runs: calls of every kind in any order, each answer held against the model in memory.
 * A failing run prints its seed and its shortest form.
 */
import assert from "node:assert/strict"
import * as fc from "fast-check"
import {
  isSafelightError,
  type AdmitRequest,
  type Storage,
  type TaskCommand,
} from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "./sample-task.ts"
import { idsOf, MODELS, type StorageFixture } from "./storage-fixture.ts"
import { CALL, type Call, type CallOf } from "./storage-model-calls.ts"
import { createStorageModel, type StorageModel } from "./storage-model.ts"

export const MODEL_BEHAVIOURS: Behaviours<StorageFixture> = {
  "any run of calls answers as a storage of a few maps does": async ({ storage }) => {
    let run = 0
    const property = fc.asyncProperty(
      fc.array(CALL, { minLength: 5, maxLength: 60, size: "max" }),
      async (calls) => {
        run += 1
        await runAgainstModel(storage, `run-${run}`, calls)
      },
    )
    await fc.assert(property, { numRuns: 50 })
  },
}

/** One run's view of the storage, which other runs have left their own tasks and models in. */
interface Run {
  readonly storage: Storage
  readonly model: StorageModel
  readonly toId: (task: number) => string
  readonly toModels: (models: readonly number[]) => string[]
  readonly toAccount: (account: number) => string
  /** Every append that was tried of a task, in order. */
  readonly tried: Map<string, SampleAppend[]>
  /** The newest admission that was tried of a task. */
  readonly admissions: Map<string, Admission>
}

interface Admission {
  readonly request: AdmitRequest
  readonly sample: SampleAppend
}

async function runAgainstModel(
  storage: Storage,
  name: string,
  calls: readonly Call[],
): Promise<void> {
  const run: Run = {
    storage,
    model: createStorageModel(),
    toId: (task) => `${name}:${task}`,
    toModels: (models) => models.map((model) => `${name}:${MODELS[model]}`),
    toAccount: (account) => `${name}:account-${account}`,
    tried: new Map(),
    admissions: new Map(),
  }
  for (const [index, call] of calls.entries()) await execute(run, call, 1_000 + index)
  for (const [id, head] of run.model.heads) {
    assert.deepEqual(await storage.readTask(id), head)
    const events = await storage.readEvents(id)
    assert.deepEqual([events.length, events.at(-1)?.hash], [head.task.version, head.hash])
  }
  await compareAccounts(run)
}

/** Totals, the kept ones among them, and the bill. */
async function compareAccounts({ storage, model, toAccount }: Run): Promise<void> {
  const kept = new Map((await storage.scanTotals()).map((row) => [row.account, row]))
  for (const account of [toAccount(0), toAccount(1)]) {
    const totals = model.accounts.totals(account)
    assert.deepEqual(await storage.readTotals(account), totals)
    const row = model.accounts.isBounded(account)
      ? { account, kept: totals, counted: totals }
      : undefined
    assert.deepEqual(kept.get(account), row)
    const sums = await storage.sumCharges({ account, from: 0, to: Number.MAX_SAFE_INTEGER })
    const chargedMicros = sums.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0)
    assert.equal(chargedMicros, totals.chargedMicros)
  }
}

async function execute(run: Run, call: Call, now: number): Promise<void> {
  const { storage, model, toId } = run
  switch (call.kind) {
    case "submit":
      return tryAppend(run, toSubmission(run, call, now))
    case "admit":
      return admit(run, call, now)
    case "bound": {
      const { budgetMicros, unfinishedTasks } = call
      const [id, settings] = [run.toAccount(call.account), { budgetMicros, unfinishedTasks }]
      await storage.setAccount({ id, now, settings })
      return model.accounts.setBounds(id, settings)
    }
    case "erase":
      assert.equal(await storage.eraseInputs(toId(call.task)), false)
      return model.accounts.forgetTask(toId(call.task))
    case "advance":
      return advance(run, call, now)
    case "claim": {
      const request = { ...call, models: run.toModels(call.models) }
      assert.equal(model.claim(request, await storage.claim(request)), undefined)
      return
    }
    case "renew": {
      const request = { claim: call.claim, until: call.at, tasks: call.tasks.map(toId) }
      const renewed = await storage.renew(request)
      assert.deepEqual(renewed.toSorted(), model.renew(request).toSorted())
      return
    }
    case "release": {
      const request = { claim: call.claim, dueAt: call.at, tasks: call.tasks.map(toId) }
      await storage.release(request)
      return model.release(request)
    }
    case "retain":
      if (!model.heads.has(toId(call.task))) return
      await storage.retain({ task: toId(call.task), dueAt: call.dueAt })
      return model.retain(toId(call.task), call.dueAt)
    case "look":
      return look(run, call)
  }
}

function toSubmission(run: Run, call: CallOf<"submit" | "admit">, now: number): SampleAppend {
  const { dueAt, endBy, claim, reservationMicros } = call
  const [model = ""] = run.toModels([call.model])
  const account = run.toAccount(call.account)
  return submitSample({
    id: run.toId(call.task),
    submitted: { account, model, maxAttempts: 100, reservationMicros },
    now,
    queue: { kind: "enqueue", dueAt, endBy, claim },
  })
}

async function admit(run: Run, call: CallOf<"admit">, now: number): Promise<void> {
  const repeated = call.isRepeated ? run.admissions.get(run.toId(call.task)) : undefined
  const { request, sample } = repeated ?? toAdmission(run, call, now)
  run.admissions.set(request.append.task, { request, sample })
  const admission = await run.storage.admit(request).catch(toConflict)
  assert.deepEqual(admission, run.model.admit(request, sample.head))
  if (admission?.kind === "admitted") run.tried.set(request.append.task, [sample])
}

function toAdmission(run: Run, call: CallOf<"admit">, now: number): Admission {
  const sample = toSubmission(run, call, now)
  if (call.key === null) return { request: { append: sample.append }, sample }
  const idempotency = { key: call.key, fingerprint: "ab".repeat(32), usedAt: now }
  return { request: { append: sample.append, idempotency }, sample }
}

function toConflict(error: unknown): undefined {
  assert.ok(isSafelightError(error) && error.code === "version-conflict", String(error))
}

async function advance(run: Run, call: CallOf<"advance">, now: number): Promise<void> {
  const tried = run.tried.get(run.toId(call.task)) ?? []
  const current = run.model.heads.get(run.toId(call.task))
  if (current === undefined) return
  const repeated = tried.at(-1)
  if (call.isRepeated && repeated !== undefined) return tryAppend(run, repeated)
  const head = call.isStale ? (tried[0]?.head ?? current) : current
  const command = toCommand(head, call)
  if (command === undefined) return
  const queue = call.queue === undefined ? {} : { queue: call.queue }
  await tryAppend(run, advanceSample(head, [command], { now, ...queue }))
}

function toCommand(
  { task }: SampleAppend["head"],
  { queue, billedMicros: chargeMicros }: CallOf<"advance">,
): TaskCommand | undefined {
  const { attempt, state, progress } = task
  if (state === "failed" || progress >= 99) return undefined
  if (queue?.kind === "finish") {
    const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
    const billed = chargeMicros === null ? {} : { billed: { chargeMicros, usage } }
    return { kind: "fail", attempt, code: "task_cancelled", ...billed }
  }
  if (state === "queued") return dispatchSample(attempt + 1)
  if (state === "dispatching") return { kind: "accept", operation: null }
  return { kind: "progress", attempt, progress: progress + 1 }
}

async function tryAppend({ storage, model, tried }: Run, sample: SampleAppend): Promise<void> {
  const { append, head } = sample
  tried.set(append.task, [...(tried.get(append.task) ?? []), sample])
  const isStored = await storage.append(append).then(() => true, toConflict)
  assert.equal(isStored ?? false, model.append(append, head))
}

async function look(run: Run, call: CallOf<"look">): Promise<void> {
  const { storage, model, toModels } = run
  const { now } = call
  const account = run.toAccount(call.account)
  assert.deepEqual(await storage.readTotals(account), model.accounts.totals(account))
  const models = toModels(call.models)
  assert.equal(await storage.nextDueAt(models), model.nextDueAt(models))
  const mine = (ids: readonly string[]) => ids.filter((id) => model.heads.has(id)).toSorted()
  const overdue = await storage.findOverdue({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(overdue)), model.findOverdue(now))
  const retained = await storage.findRetained({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(retained)), model.findRetained(now))
}
