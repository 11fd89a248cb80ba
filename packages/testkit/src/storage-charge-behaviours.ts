/** The contract of `AccountStorage`: the items of an account's bill, in their order and page by page. */
import assert from "node:assert/strict"
import type { ChargeListRequest, ChargeRow, Storage } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "./sample-task.ts"
import { ENQUEUE, FINISH, type StorageFixture } from "./storage-fixture.ts"

/** Every charge of the account. */
const ALL = { account: "account", from: 0, to: Number.MAX_SAFE_INTEGER }

export const CHARGE_BEHAVIOURS: Behaviours<StorageFixture> = {
  "an account without charges has none to list": async ({ storage }) => {
    await finish(storage, { id: "other", account: "other" })
    const { append } = submitSample({ id: "unfinished", queue: ENQUEUE })
    await storage.append(append)
    assert.deepEqual(await storage.listCharges({ ...ALL, limit: 5 }), { charges: [], next: null })
  },

  "charges are listed by the moment at which their tasks finished, then by the bytes of ids":
    async ({ storage }) => {
      // UTF-16 has the last two the other way round.
      const ids = ["a", "b", "\u{fffd}", "\u{1f600}"]
      // By their amounts they are the other way round, and no amount decides.
      for (const [chargeMicros, id] of ids.toReversed().entries()) {
        await finish(storage, { id, now: 2_000, chargeMicros })
      }
      for (const now of [1_999, 2_001, 3_000]) await finish(storage, { id: `t${now}`, now })
      await finish(storage, { id: "other", account: "other", now: 2_000 })
      for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
        const list = async (from: number, to: number) =>
          idsOf(await listAll(storage, { ...ALL, from, to, limit }))
        assert.deepEqual(await list(1_999, 3_000), ["t1999", ...ids, "t2001"])
        assert.deepEqual(await list(2_000, 2_001), ids)
        assert.deepEqual(await list(0, Number.MAX_SAFE_INTEGER), [
          "t1999",
          ...ids,
          "t2001",
          "t3000",
        ])
        assert.deepEqual(await list(2_002, 3_000), [])
        assert.deepEqual(await list(3_000, 2_000), [])
      }
    },

  "a page of charges has whole rows, no more than its limit, and the last one no next": async ({
    storage,
  }) => {
    for (const id of ["a", "b", "c"]) await finish(storage, { id, now: 2_000 })
    const first = await storage.listCharges({ ...ALL, limit: 2 })
    assert.deepEqual([idsOf(first.charges), first.next], [["a", "b"], { at: 2_000, task: "b" }])
    const whole = await storage.listCharges({ ...ALL, limit: 3 })
    assert.equal(whole.next, null)
    const { streams } = await storage.scan({ after: "", limit: 9 })
    assert.deepEqual(
      whole.charges.map((row) => ({ ...row })),
      streams.map(({ charge }) => ({ ...charge })),
    )
  },

  "a list of charges continues behind a position that no charge has": async ({ storage }) => {
    for (const id of ["a", "b", "c"]) await finish(storage, { id, now: 2_000 })
    const list = async (at: number, task: string) =>
      idsOf((await storage.listCharges({ ...ALL, after: { at, task }, limit: 5 })).charges)
    assert.deepEqual(await list(2_000, "aa"), ["b", "c"])
    assert.deepEqual(await list(1_999, "z"), ["a", "b", "c"])
    assert.deepEqual(await list(2_001, ""), [])
  },
}

interface Finished {
  readonly id: string
  readonly account?: string
  readonly now?: number
  readonly chargeMicros?: number
}

async function finish(
  storage: Storage,
  { id, account = "account", chargeMicros = 7, now = 1_000 }: Finished,
): Promise<void> {
  const { append, head } = submitSample({ id, submitted: { account }, queue: ENQUEUE })
  await storage.append(append)
  const commands = [dispatchSample(), succeedSample(1, { chargeMicros })]
  await storage.append(advanceSample(head, commands, { now, queue: FINISH }).append)
}

async function listAll(
  storage: Pick<Storage, "listCharges">,
  request: ChargeListRequest,
): Promise<readonly ChargeRow[]> {
  const { charges, next } = await storage.listCharges(request)
  assert.ok(charges.length <= request.limit)
  if (next === null) return charges
  return [...charges, ...(await listAll(storage, { ...request, after: next }))]
}

function idsOf(charges: readonly ChargeRow[]): readonly string[] {
  return charges.map(({ task }) => task)
}
