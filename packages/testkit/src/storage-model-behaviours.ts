/**
 * Generated runs: calls of every kind in any order, each answer held against the model in memory.
 * A failing run prints its seed and its shortest form.
 */
import assert from "node:assert/strict"
import * as fc from "fast-check"
import { isSafelightError, type QueueChange, type Storage, type TaskCommand } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "./sample-task.ts"
import { idsOf, MODELS, type StorageFixture } from "./storage-fixture.ts"
import { createStorageModel, type StorageModel } from "./storage-model.ts"

export const MODEL_BEHAVIOURS: Behaviours<StorageFixture> = {
  "any run of calls answers as a storage of three maps does": async ({ storage }) => {
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

const MOMENT = fc.integer({ min: 0, max: 40 })
const TASK = fc.integer({ min: 0, max: 4 })
const CLAIM = fc.constantFrom("claim-a", "claim-b")
const TERM = fc.option(fc.record({ claim: CLAIM, until: MOMENT }))

const CALL = fc.oneof(
  fc.record({
    kind: fc.constant("submit" as const),
    task: TASK,
    model: fc.nat(2),
    dueAt: MOMENT,
    endBy: MOMENT,
    claim: TERM,
  }),
  fc.record({
    kind: fc.constant("advance" as const),
    task: TASK,
    isStale: fc.boolean(),
    isRepeated: fc.boolean(),
    queue: fc.oneof(
      fc.constant(undefined),
      fc.record({ kind: fc.constant("reschedule" as const), dueAt: MOMENT, claim: TERM }),
      fc.record({ kind: fc.constant("finish" as const), retainAt: fc.option(MOMENT) }),
    ),
  }),
  fc.record({
    kind: fc.constant("claim" as const),
    models: fc.subarray([0, 1, 2]),
    now: MOMENT,
    limit: fc.integer({ min: 1, max: 4 }),
    claim: CLAIM,
    until: MOMENT,
  }),
  fc.record({
    kind: fc.constantFrom("renew" as const, "release" as const),
    claim: CLAIM,
    at: MOMENT,
    tasks: fc.subarray([0, 1, 2, 3, 4]),
  }),
  fc.record({ kind: fc.constant("retain" as const), task: TASK, dueAt: fc.option(MOMENT) }),
  fc.record({ kind: fc.constant("look" as const), models: fc.subarray([0, 1, 2]), now: MOMENT }),
)

type Call = typeof CALL extends fc.Arbitrary<infer Value> ? Value : never
type CallOf<Kind extends Call["kind"]> = Extract<Call, { readonly kind: Kind }>

/** One run's view of the storage, which other runs have left their own tasks and models in. */
interface Run {
  readonly storage: Storage
  readonly model: StorageModel
  readonly toId: (task: number) => string
  readonly toModels: (models: readonly number[]) => string[]
  /** Every append that was tried of a task, in order. */
  readonly tried: Map<string, SampleAppend[]>
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
    tried: new Map(),
  }
  for (const [index, call] of calls.entries()) await execute(run, call, 1_000 + index)
  for (const [id, head] of run.model.heads) {
    assert.deepEqual(await storage.readTask(id), head)
    const events = await storage.readEvents(id)
    assert.deepEqual([events.length, events.at(-1)?.hash], [head.task.version, head.hash])
  }
}

async function execute(run: Run, call: Call, now: number): Promise<void> {
  const { storage, model, toId } = run
  switch (call.kind) {
    case "submit":
      return submit(run, call, now)
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

async function submit(run: Run, call: CallOf<"submit">, now: number): Promise<void> {
  const { dueAt, endBy, claim } = call
  const [model = ""] = run.toModels([call.model])
  const queue: QueueChange = { kind: "enqueue", dueAt, endBy, claim }
  const submitted = { model, maxAttempts: 100 }
  await tryAppend(run, submitSample({ id: run.toId(call.task), submitted, now, queue }))
}

async function advance(run: Run, call: CallOf<"advance">, now: number): Promise<void> {
  const tried = run.tried.get(run.toId(call.task)) ?? []
  const current = run.model.heads.get(run.toId(call.task))
  if (current === undefined) return
  const repeated = tried.at(-1)
  if (call.isRepeated && repeated !== undefined) return tryAppend(run, repeated)
  const head = call.isStale ? (tried[0]?.head ?? current) : current
  const command = toCommand(head, call.queue?.kind === "finish")
  if (command === undefined) return
  const queue = call.queue === undefined ? {} : { queue: call.queue }
  await tryAppend(run, advanceSample(head, [command], { now, ...queue }))
}

function toCommand({ task }: SampleAppend["head"], isLast: boolean): TaskCommand | undefined {
  const { attempt, state, progress } = task
  if (state === "failed" || progress >= 99) return undefined
  if (isLast) return { kind: "fail", attempt, code: "task_cancelled" }
  if (state === "queued") return dispatchSample(attempt + 1)
  if (state === "dispatching") return { kind: "accept", operation: null }
  return { kind: "progress", attempt, progress: progress + 1 }
}

async function tryAppend({ storage, model, tried }: Run, sample: SampleAppend): Promise<void> {
  const { append, head } = sample
  tried.set(append.task, [...(tried.get(append.task) ?? []), sample])
  const isStored = await storage.append(append).then(
    () => true,
    (error: unknown) => {
      assert.ok(isSafelightError(error) && error.code === "version-conflict", String(error))
      return false
    },
  )
  assert.equal(isStored, model.append(append, head))
}

async function look({ storage, model, toModels }: Run, call: CallOf<"look">): Promise<void> {
  const { now } = call
  const models = toModels(call.models)
  assert.equal(await storage.nextDueAt(models), model.nextDueAt(models))
  const mine = (ids: readonly string[]) => ids.filter((id) => model.heads.has(id)).toSorted()
  const overdue = await storage.findOverdue({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(overdue)), model.findOverdue(now))
  const retained = await storage.findRetained({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(retained)), model.findRetained(now))
}
