/**
 * Fair shares: whatever joins, leaves, stands still and comes back, and whenever each process learns of it, all
 * together never begin more than there is; and once all have seen the same, nothing is left unused.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { LeaseFacts, WorkerLease } from "@safelight/core"
import { createFairShares, createPermits, type FairShares, type Permit } from "@safelight/engine"
import { createManualClock } from "@safelight/testkit"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"

const LEASE_MS = 60_000

interface Node {
  readonly lease: { readonly id: string; heldUntil: number }
  readonly shares: FairShares
  readonly permits: ReturnType<typeof createPermits>
  used: Permit[]
}

/** A few processes over one list of leases, on one clock. */
function createWorld(size: number) {
  const clock = createManualClock()
  const rows = new Map<string, WorkerLease>()
  let beats = 0

  function start(id: string): Node {
    const lease = { id, heldUntil: -Infinity }
    const shares = createFairShares({ clock }, lease)
    const pool = { name: "channel:fal", toSize: () => size, channel: "fal" }
    return { lease, shares, permits: createPermits(shares, pool), used: [] }
  }

  /** A heartbeat in two halves: what it writes, and later what it has read by then. */
  function beat({ lease, shares }: Node): () => void {
    const startedAt = clock.monotonicNow()
    beats += 1
    const facts: LeaseFacts = {
      channels: ["fal"],
      leftAlone: [],
      isAble: true,
      excess: shares.excess(),
      membership: shares.membership(),
      round: shares.round(),
    }
    rows.set(lease.id, { lease: lease.id, beats, facts })
    const leases = [...rows.values()]
    return () => {
      if (clock.monotonicNow() >= lease.heldUntil) shares.lapse()
      lease.heldUntil = Math.max(lease.heldUntil, startedAt + LEASE_MS)
      shares.note(leases)
    }
  }

  return { beat, clock, rows, start }
}

const DEED = fc.oneof(
  /** Some have time enough to see each other. */
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      node: fc.nat(3),
      nodes: fc.subarray([0, 1, 2, 3]),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("beat" as const),
      node: fc.nat(3),
      isSlow: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("hear" as const), node: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      node: fc.nat(3),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      node: fc.nat(3),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), node: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("expire" as const), node: fc.nat(3) }) },
)

type Deed = typeof DEED extends fc.Arbitrary<infer Value> ? Value : never

function startRun(size: number) {
  const { beat, clock, rows, start } = createWorld(size)
  const nodes = [0, 1, 2, 3].map((index) => start(`lease-${index}`))
  const replies = new Map<Node, () => void>()
  let boots = 0

  function begin(node: Node, count: number): void {
    for (let begun = 0; begun < count; begun += 1) {
      const permit = node.permits.tryAcquire()
      if (permit !== undefined) node.used.push(permit)
    }
  }

  /** In good order, with nothing under way; another boot takes its place. */
  function leave(node: Node, index: number): void {
    if (node.used.length > 0 || replies.has(node)) return
    rows.delete(node.lease.id)
    boots += 1
    nodes[index] = start(`lease-${index}-${boots}`)
  }

  /** It stood still: its work ends, and the others, who are alive, see that it is gone. */
  async function expire(node: Node): Promise<void> {
    await clock.advance(LEASE_MS + 1)
    rows.delete(node.lease.id)
    for (const permit of node.used.splice(0)) permit.release()
    const others = nodes.filter((other) => other !== node && rows.has(other.lease.id))
    for (let round = 0; round < 4; round += 1) for (const other of others) send(other, false)
  }

  function send(node: Node, isSlow: boolean): void {
    if (replies.has(node)) return
    const hear = beat(node)
    if (isSlow) replies.set(node, hear)
    else hear()
  }

  async function perform(deed: Deed): Promise<void> {
    const node = nodes[deed.node] ?? assert.fail()
    switch (deed.kind) {
      case "beat":
        return send(node, deed.isSlow)
      case "settle":
        for (let round = 0; round < 4; round += 1) {
          for (const index of deed.nodes) send(nodes[index] ?? node, false)
        }
        return
      case "hear":
        replies.get(node)?.()
        return void replies.delete(node)
      case "begin":
        return begin(node, deed.count)
      case "end":
        return node.used.splice(0, deed.count).forEach((permit) => permit.release())
      case "leave":
        return leave(node, deed.node)
      case "expire":
        return expire(node)
    }
  }
  return { nodes, perform }
}

describe("fair shares", () => {
  it("never let all together begin more than there is", async (context) => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.array(DEED, { minLength: 10, maxLength: 120, size: "max" }),
      async (size, deeds) => {
        const run = startRun(size)
        for (const deed of deeds) {
          await run.perform(deed)
          const used = run.nodes.reduce((sum, each) => sum + each.permits.countUsed(), 0)
          assert.ok(used <= size, `${used} of ${size}`)
        }
      },
    )
    await checkAsync(context, property, 400)
  })

  it("leave nothing unused, and nobody out, once all have seen the same", () => {
    for (const count of [1, 2, 3, 5]) {
      for (const size of [1, 2, 7, 100]) {
        const { beat, start } = createWorld(size)
        const nodes = Array.from({ length: count }, (_, index) => start(`lease-${index}`))
        for (let round = 0; round < 4; round += 1) for (const node of nodes) beat(node)()
        const shares = nodes.map(({ permits }) => permits.countFree())
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0),
          size,
        )
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1)
      }
    }
  })

  it("spread what is left over, so that no lease has the only permit of every account", () => {
    const { beat, start } = createWorld(4)
    const nodes = [start("a"), start("b"), start("c")]
    for (let round = 0; round < 4; round += 1) for (const node of nodes) beat(node)()
    const counts = nodes.map(
      ({ shares }) =>
        Array.from({ length: 300 }, (_, index) => shares.of(`account:${index}`, 1)).filter(Boolean)
          .length,
    )
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      300,
    )
    for (const count of counts) assert.ok(count > 60, String(counts))
  })

  it("are none where the lease may have expired", async () => {
    const { beat, clock, start } = createWorld(4)
    const node = start("a")
    for (let round = 0; round < 2; round += 1) beat(node)()
    assert.equal(node.permits.countFree(), 4)
    await clock.advance(LEASE_MS)
    assert.equal(node.permits.countFree(), 0)
  })
})
