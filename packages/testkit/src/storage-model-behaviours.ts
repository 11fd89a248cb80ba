/**
 * Generated runs: calls of every kind in any order, each answer held against the model in memory.
 * A failing run prints its seed and its shortest form.
 */
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { isSafelightError, type QueueChange, type Storage, type TaskCommand } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  acceptSample,
  advanceSample,
  dispatchSample,
  submitSample,
  type SampleAppend,
} from "./sample-task.ts"
import type { StorageFixture } from "./storage-fixture.ts"
import { CALL, type Call, type CallOf } from "./storage-model-calls.ts"
import { changeLease, look, takeTasks } from "./storage-model-queue-calls.ts"
import { startRun, type Run, type TriedAdmission } from "./storage-model-run.ts"

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

async function runAgainstModel(
  storage: Storage,
  name: string,
  calls: readonly Call[],
): Promise<void> {
  const run = startRun(storage, name)
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
    case "take":
      return takeTasks(run, call)
    case "heartbeat":
    case "release":
    case "expire":
      return changeLease(run, call)
    case "retain":
      if (!model.heads.has(toId(call.task))) return
      await storage.retain({ task: toId(call.task), dueAt: call.dueAt })
      return model.queue.retain(toId(call.task), call.dueAt)
    case "look":
      return look(run, call)
  }
}

function toSubmission(run: Run, call: CallOf<"submit" | "admit">, now: number): SampleAppend {
  const { dueAt, endBy, startTag, reservationMicros } = call
  const holder = call.lease === null ? null : run.toName(call.lease)
  const [model = ""] = run.toModels([call.model])
  const account = run.toAccount(call.account)
  return submitSample({
    id: run.toId(call.task),
    submitted: { account, model, maxAttempts: 100, reservationMicros },
    now,
    queue: { kind: "enqueue", dueAt, endBy, lease: holder, startTag },
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

function toAdmission(run: Run, call: CallOf<"admit">, now: number): TriedAdmission {
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
  const queue = toQueueChange(run, call.queue)
  await tryAppend(run, advanceSample(head, [command], { now, ...(queue && { queue }) }))
}

function toQueueChange(
  { toName }: Run,
  queue: CallOf<"advance">["queue"],
): QueueChange | undefined {
  if (queue?.kind !== "reschedule" || queue.lease === null) return queue
  return { ...queue, lease: toName(queue.lease) }
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
  if (state === "dispatching") return acceptSample(null, attempt)
  return { kind: "progress", attempt, progress: progress + 1 }
}

async function tryAppend({ storage, model, tried }: Run, sample: SampleAppend): Promise<void> {
  const { append, head } = sample
  tried.set(append.task, [...(tried.get(append.task) ?? []), sample])
  const isStored = await storage.append(append).then(() => true, toConflict)
  assert.equal(isStored ?? false, model.append(append, head))
}
