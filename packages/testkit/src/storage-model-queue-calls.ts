/** The calls of generated runs that concern the queue, each answer held against the model's. */
import assert from "node:assert/strict"
import type { TakeRequest, WorkerLease } from "@safelight/core"
import { idsOf } from "./storage-fixture.ts"
import type { CallOf } from "./storage-model-calls.ts"
import type { Run } from "./storage-model-run.ts"

export async function takeTasks(run: Run, call: CallOf<"take">): Promise<void> {
  const { storage, model, toAccount, toModels, toName } = run
  const request: TakeRequest = {
    lease: toName(call.lease),
    models: toModels(call.models),
    now: call.now,
    limit: call.limit,
    dueOnly: call.dueOnly,
    ...(call.permits !== null && {
      permits: new Map(call.permits.map((count, index) => [toAccount(index), count])),
    }),
  }
  assert.equal(model.queue.take(request, await storage.take(request)), undefined)
}

export async function changeLease(
  { storage, model: { queue }, isMine, toId, toName }: Run,
  call: CallOf<"heartbeat" | "release" | "expire">,
): Promise<void> {
  const lease = toName(call.lease)
  switch (call.kind) {
    case "heartbeat": {
      const { beats, round } = call
      const facts = { channels: [], leftAlone: [], isAble: true, excess: {}, membership: "", round }
      const told = await storage.heartbeat({ lease, beats, facts })
      const right = queue.heartbeat({ lease, beats, facts })
      assert.deepEqual(told.held.toSorted(), right.held)
      assert.deepEqual(toOwn(told.leases, isMine), right.leases)
      return
    }
    case "release": {
      const { dueAt, startsAnew } = call
      const request = { lease, dueAt, startsAnew, tasks: call.tasks.map(toId) }
      await storage.release(request)
      return queue.release(request)
    }
    case "expire": {
      const known = queue.listLeases().find((each) => each.lease === lease)
      const beats = Math.max(0, (known?.beats ?? 0) - call.missedBeats)
      const hasExpired = await storage.expire({ lease, beats })
      assert.equal(hasExpired, queue.expire({ lease, beats }))
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

export async function look(run: Run, call: CallOf<"look">): Promise<void> {
  const { storage, model, isMine } = run
  const { now } = call
  const account = run.toAccount(call.account)
  assert.deepEqual(await storage.readTotals(account), model.accounts.totals(account))
  const models = run.toModels(call.models)
  for (const most of [1, 3, 1_000]) {
    const request = { models, now, most }
    assert.deepEqual(await storage.peekQueue(request), model.queue.peek(request))
  }
  const startedTag = await storage.findStartedTag({ models })
  assert.equal(startedTag, model.queue.startedTag(models))
  const measured = await storage.measureQueue()
  assert.deepEqual(
    measured.filter((each) => isMine(each.model)),
    model.queue.measure(),
  )
  assert.deepEqual(toOwn(await storage.listLeases(), isMine), model.queue.listLeases())
  const mine = (ids: readonly string[]) => ids.filter(isMine).toSorted()
  // Somewhere before now, so that held tasks are on both sides of it.
  const due = { now, heldUntil: now - 500 }
  const overdue = await storage.findOverdue({ ...due, limit: 10_000 })
  assert.deepEqual(mine(idsOf(overdue)), model.queue.findOverdue(due))
  const retained = await storage.findRetained({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(retained)), model.queue.findRetained(now))
}
