/** The calls of generated runs that concern the queue, each answer held against the model's. */
import assert from "node:assert/strict"
import type { ClaimRequest } from "@safelight/core"
import { idsOf } from "./storage-fixture.ts"
import type { CallOf } from "./storage-model-calls.ts"
import type { Run } from "./storage-model-run.ts"

export async function claimTasks(run: Run, call: CallOf<"claim">): Promise<void> {
  const { storage, model, toAccount, toModels, toName } = run
  const request: ClaimRequest = {
    claim: toName(call.claim),
    models: toModels(call.models),
    now: call.now,
    limit: call.limit,
    ...(call.exceptAccounts !== null && { exceptAccounts: call.exceptAccounts.map(toAccount) }),
  }
  assert.equal(model.queue.claim(request, await storage.claim(request)), undefined)
}

export async function changeClaim(
  { storage, model: { queue }, toId, toName }: Run,
  call: CallOf<"renew" | "release" | "void" | "free-others" | "hold">,
): Promise<void> {
  const claim = toName(call.claim)
  switch (call.kind) {
    case "renew": {
      const request = { claim, tasks: call.tasks.map(toId) }
      const renewed = await storage.renew(request)
      assert.deepEqual(renewed.toSorted(), queue.renew(request).toSorted())
      return
    }
    case "release": {
      const { dueAt, keepsTurns } = call
      const request = { claim, dueAt, keepsTurns, tasks: call.tasks.map(toId) }
      await storage.release(request)
      return queue.release(request)
    }
    case "free-others": {
      const request = { claim, tasks: call.tasks.map(toId) }
      await storage.freeOthers(request)
      return queue.freeOthers(request)
    }
    case "void": {
      const known = queue.listClaims().find((each) => each.claim === claim)
      const beats = Math.max(0, (known?.beats ?? 0) - call.missedBeats)
      const isVoided = await storage.voidClaim({ claim, beats })
      assert.equal(isVoided, queue.voidClaim({ claim, beats }))
      return
    }
    case "hold": {
      const { size, count } = call
      const request = { pool: toName(call.pool), claim, size, count }
      assert.equal(await storage.holdSlots(request), queue.holdSlots(request))
    }
  }
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
  const startedTurn = await storage.findStartedTurn({ models })
  assert.equal(startedTurn, model.queue.startedTurn(models))
  const measured = await storage.measureQueue()
  assert.deepEqual(
    measured.filter((each) => isMine(each.model)),
    model.queue.measure(),
  )
  const claims = await storage.listClaims()
  assert.deepEqual(
    claims.filter(({ claim }) => isMine(claim)).toSorted((a, b) => (a.claim < b.claim ? -1 : 1)),
    model.queue.listClaims(),
  )
  const mine = (ids: readonly string[]) => ids.filter(isMine).toSorted()
  // Somewhere before now, so that claimed tasks are on both sides of it.
  const due = { now, heldUntil: now - 500 }
  const overdue = await storage.findOverdue({ ...due, limit: 10_000 })
  assert.deepEqual(mine(idsOf(overdue)), model.queue.findOverdue(due))
  const retained = await storage.findRetained({ now, limit: 10_000 })
  assert.deepEqual(mine(idsOf(retained)), model.queue.findRetained(now))
}
