/**
 * Generated runs: calls of every kind in any order, each answered as the storage in memory answers it. A
 * failing run prints its seed and its shortest form. For the storage in memory itself they prove little.
 */
import assert from "node:assert/strict"
import * as fc from "fast-check"
import type { QueueChange, Storage, TakeRequest, TaskCommand, WorkerLease } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import {
  acceptSample,
  advanceSample,
  dispatchSample,
  submitSample,
  type SampleAppend,
} from "./sample-task.ts"
import { idsOf, type StorageFixture } from "./storage-fixture.ts"
import { CALL, type Call, type CallOf } from "./storage-model-calls.ts"
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
  for (const id of run.tried.keys()) {
    await run.ask(async (each) => (await each.readTask(id)) ?? null)
    await run.ask((each) => each.readEvents(id))
  }
  await compareAccounts(run)
}

/** Totals and the bill; totals that are kept are what the tasks add up to. */
async function compareAccounts({ ask, isMine, toAccount }: Run): Promise<void> {
  for (const account of [toAccount(0), toAccount(1)]) {
    await ask((each) => each.readTotals(account))
    await ask((each) => each.sumCharges({ account, from: 0, to: Number.MAX_SAFE_INTEGER }))
  }
  const scanned = await ask(
    (each) => each.scanTotals(),
    (rows) => rows.filter(({ account }) => isMine(account)),
  )
  for (const { counted, kept } of scanned ?? []) assert.deepEqual(kept, counted)
}

async function execute(run: Run, call: Call, now: number): Promise<void> {
  const { ask, model, toId } = run
  switch (call.kind) {
    case "submit":
      return tryAppend(run, toSubmission(run, call, now))
    case "admit":
      return admit(run, call, now)
    case "bound": {
      const { budgetMicros, unfinishedTasks } = call
      const request = {
        id: run.toAccount(call.account),
        settings: { budgetMicros, unfinishedTasks },
      }
      await ask((each) => each.setAccount({ ...request, now }))
      return
    }
    case "erase":
      await ask((each) => each.eraseInputs(toId(call.task)))
      return
    case "advance":
      return advance(run, call, now)
    case "take":
      return takeTasks(run, call)
    case "heartbeat":
    case "release":
    case "expire":
      return changeLease(run, call)
    case "retain":
      if ((await model.readTask(toId(call.task))) === undefined) return
      await ask((each) => each.retain({ task: toId(call.task), dueAt: call.dueAt }))
      return
    case "look":
      return look(run, call)
  }
}

function toSubmission(run: Run, call: CallOf<"submit" | "admit">, now: number): SampleAppend {
  const { dueAt, endBy, pool, startTag, reservationMicros } = call
  const holder = call.lease === null ? null : run.toName(call.lease)
  const [model = ""] = run.toModels([call.model])
  const account = run.toAccount(call.account)
  return submitSample({
    id: run.toId(call.task),
    submitted: { account, model, maxAttempts: 100, reservationMicros },
    now,
    queue: { kind: "enqueue", dueAt, endBy, lease: holder, startTag, ...(pool && { pool }) },
  })
}

async function admit(run: Run, call: CallOf<"admit">, now: number): Promise<void> {
  const repeated = call.isRepeated ? run.admissions.get(run.toId(call.task)) : undefined
  const { request, sample } = repeated ?? toAdmission(run, call, now)
  run.admissions.set(request.append.task, { request, sample })
  const admission = await run.ask((each) => each.admit(request))
  if (admission?.kind === "admitted") run.tried.set(request.append.task, [sample])
}

function toAdmission(run: Run, call: CallOf<"admit">, now: number): TriedAdmission {
  const sample = toSubmission(run, call, now)
  if (call.key === null) return { request: { append: sample.append }, sample }
  const idempotency = { key: call.key, fingerprint: "ab".repeat(32), usedAt: now }
  return { request: { append: sample.append, idempotency }, sample }
}

async function advance(run: Run, call: CallOf<"advance">, now: number): Promise<void> {
  const tried = run.tried.get(run.toId(call.task)) ?? []
  const current = await run.model.readTask(run.toId(call.task))
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

async function tryAppend({ ask, tried }: Run, sample: SampleAppend): Promise<void> {
  const { append } = sample
  tried.set(append.task, [...(tried.get(append.task) ?? []), sample])
  await ask((each) => each.append(append).then(() => "stored"))
}

async function takeTasks({ ask, ...run }: Run, call: CallOf<"take">): Promise<void> {
  const request: TakeRequest = {
    lease: run.toName(call.lease),
    models: run.toModels(call.models),
    now: call.now,
    limit: call.limit,
    dueOnly: call.dueOnly,
    ...(call.turn !== null && { turn: call.turn }),
    ...(call.permits !== null && {
      permits: new Map(call.permits.map((count, index) => [run.toAccount(index), count])),
    }),
  }
  await ask((each) => each.take(request))
}

async function changeLease(
  { ask, isMine, model, toId, toName }: Run,
  call: CallOf<"heartbeat" | "release" | "expire">,
): Promise<void> {
  const lease = toName(call.lease)
  switch (call.kind) {
    case "heartbeat": {
      const { heartbeats, round } = call
      const facts = { channels: [], leftAlone: [], isAble: true, excess: {}, membership: "", round }
      await ask(
        (each) => each.heartbeat({ lease, heartbeats, facts }),
        ({ held, leases }) => [held.toSorted(), toOwn(leases, isMine)],
      )
      return
    }
    case "release": {
      const { dueAt, startsAnew } = call
      await ask((each) => each.release({ lease, dueAt, startsAnew, tasks: call.tasks.map(toId) }))
      return
    }
    case "expire": {
      const known = (await model.listLeases()).find((each) => each.lease === lease)
      const heartbeats = Math.max(0, (known?.heartbeats ?? 0) - call.missedHeartbeats)
      await ask((each) => each.expire({ lease, heartbeats }))
    }
  }
}

function toOwn(
  leases: readonly WorkerLease[],
  isMine: (name: string) => boolean,
): readonly WorkerLease[] {
  return leases
    .filter(({ lease }) => isMine(lease))
    .toSorted((a, b) => (a.lease < b.lease ? -1 : 1))
}

async function look({ ask, isMine, ...run }: Run, call: CallOf<"look">): Promise<void> {
  const { now } = call
  const models = run.toModels(call.models)
  const mine = (heads: Parameters<typeof idsOf>[0]) => idsOf(heads).filter(isMine).toSorted()
  await ask((each) => each.readTotals(run.toAccount(call.account)))
  for (const most of [1, 3, 1_000]) await ask((each) => each.peekQueue({ models, now, most }))
  await ask((each) => each.findStartedTag({ models }))
  await ask(
    (each) => each.measureQueue(),
    (measured) => measured.filter(({ model }) => isMine(model)),
  )
  await ask(
    (each) => each.listLeases(),
    (leases) => toOwn(leases, isMine),
  )
  // Somewhere before now, so that held tasks are on both sides of it.
  const due = { now, heldUntil: now - 10, limit: 10_000 }
  await ask((each) => each.findOverdue(due), mine)
  await ask((each) => each.findRetained(due), mine)
}
