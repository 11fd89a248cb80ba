/** What an embedder does as an operator, over a storage in memory: no service, no configuration file, no HTTP. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as keys from "@safelight/access"
import type { Channel } from "@safelight/core"
import { cancelTask, createIdentifiers, resolveTask, systemRandomness } from "@safelight/engine"
import { createDataOperator, toConfiguredChannels, type DataOperator } from "@safelight/operator"
import {
  advanceSample,
  createManualClock,
  createMemoryStorage,
  createScriptedChannel,
  dispatchSample,
  submitSample,
  type ManualClock,
  type MemoryStorage,
} from "@safelight/testkit"

const ME = "ada"

interface World {
  readonly clock: ManualClock
  readonly storage: MemoryStorage
  readonly operator: DataOperator
  /** Adds a task of an account; with a channel it is dispatched there. */
  add(id: string, account: string, channel?: string): Promise<void>
  /** What was recorded, the oldest first. */
  listChanges(): Promise<readonly (readonly [change: string, target: string])[]>
}

function createWorld(channels: readonly Channel[] = []): World {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const identifiers = createIdentifiers(systemRandomness)
  const operator = createDataOperator({
    storage,
    keys,
    clock,
    createId: (at) => identifiers.createTaskId(at),
    accountDefaults: { unfinishedTasks: 7 },
    channels: toConfiguredChannels(channels),
    engine: {
      cancel: ({ id }) => cancelTask({ storage }, id),
      resolve: (verdict) => resolveTask({ storage }, verdict),
    },
  })
  return {
    clock,
    storage,
    operator,
    async add(id, account, channel) {
      const now = clock.now()
      const endBy = now + 3_600_000
      const queue = { kind: "enqueue", dueAt: now, endBy, startTag: 1, lease: null } as const
      const sample = submitSample({ id, submitted: { account, endBy }, now, queue })
      await storage.append(sample.append)
      if (channel === undefined) return
      const command = { ...dispatchSample(), channel, sendBefore: now + 1 } as never
      await storage.append(advanceSample(sample.head, [command], { now }).append)
    },
    async listChanges() {
      const { changes } = await operator.changes.listChanges({ limit: 100 })
      return changes.toReversed().map(({ change, target }) => [change, target] as const)
    },
  }
}

describe("keys", () => {
  it("are revoked by their id alone, or only as a key of the account that is named", async () => {
    const { listChanges, operator, storage } = createWorld()
    const { accounts } = operator
    await accounts.makeAccount("acme", ME)
    const made = await accounts.createKey({ account: "acme" }, ME)
    assert.ok(made !== undefined)
    const { id } = made.view
    assert.equal(await accounts.revokeKey({ account: "other", id }, ME), undefined)
    assert.equal(await accounts.revokeKey({ id: "nothing" }, ME), undefined)
    assert.equal((await storage.findKey(id))?.revokedAt, 0)
    assert.equal((await accounts.revokeKey({ id }, ME))?.state, "revoked")
    assert.equal((await accounts.revokeKey({ account: "acme", id }, ME))?.state, "revoked")
    assert.deepEqual(await listChanges(), [
      ["account-set", "acme"],
      ["key-created", id],
      ["key-revoked", id],
      ["key-revoked", id],
    ])
  })

  it("begin with one of an account that has the default limits, once and unrecorded", async () => {
    const { listChanges, operator, storage } = createWorld()
    const first = await operator.accounts.makeFirstKey()
    assert.equal(first?.account, "default")
    assert.equal((await storage.findAccount("default"))?.unfinishedTasks, 7)
    assert.equal(await operator.accounts.makeFirstKey(), undefined)
    assert.equal((await operator.accounts.listAllKeys()).length, 1)
    assert.deepEqual(await listChanges(), [])
  })
})

describe("an account", () => {
  it("that exists is not made again, and keeps its settings", async () => {
    const { listChanges, operator } = createWorld()
    const { accounts } = operator
    await accounts.setAccount("acme", { unfinishedTasks: 3 }, ME)
    await accounts.makeAccount("acme", ME)
    assert.equal((await accounts.findAccount("acme"))?.account.unfinishedTasks, 3)
    assert.deepEqual(await listChanges(), [["account-set", "acme"]])
  })

  it("has its unfinished tasks stopped, those too that come within the next second", async () => {
    const { add, clock, listChanges, operator, storage } = createWorld()
    await add("t1", "acme")
    await add("t2", "other")
    const stopping = operator.accounts.stopTasks("acme", ME)
    await clock.advance(1_000)
    await add("t3", "acme")
    await clock.advance(500)
    assert.equal(await stopping, 2)
    const states = await Promise.all(
      ["t1", "t2", "t3"].map(async (id) => (await storage.readTask(id))?.task.state),
    )
    assert.deepEqual(states, ["failed", "queued", "failed"])
    assert.deepEqual(await listChanges(), [["tasks-stopped", "acme"]])
  })
})

describe("links", () => {
  it("of an unknown account or artifact are not revoked, and nothing is recorded", async () => {
    const { add, listChanges, operator } = createWorld()
    const { links } = operator
    await add("t1", "acme")
    const artifact = { kind: "artifact", task: "t1", key: "video" } as const
    assert.equal(await links.revokeLinks(artifact, ME), false)
    assert.equal(await links.revokeLinks({ kind: "account", account: "nobody" }, ME), false)
    // It has tasks and no row, as in a host that keeps its accounts itself.
    assert.equal(await links.revokeLinks({ kind: "account", account: "acme" }, ME), true)
    assert.deepEqual(await listChanges(), [["links-revoked", "acme"]])
  })
})

describe("a channel", () => {
  it("of the host is listed with its limits, and checked by its own check", async () => {
    const channel = createScriptedChannel()
    const checked: Channel = {
      ...channel,
      concurrency: 4,
      check: async () => ({ kind: "refused", reason: "the key is not taken" }),
    }
    const { operator } = createWorld([checked])
    const [view] = await operator.channels.listChannels()
    assert.deepEqual(
      [view?.channel, view?.limits],
      [channel.name, { concurrency: 4, requestsPerMinute: null }],
    )
    const report = await operator.channels.checkChannel(channel.name)
    assert.deepEqual([report?.key, report?.problems], ["refused", ["the key is not taken"]])
    assert.equal(await operator.channels.checkChannel("another"), undefined)
  })

  it("that nobody knows can't be paused or drained", async () => {
    const { add, listChanges, operator } = createWorld()
    await add("t1", "acme", "studio")
    const { channels } = operator
    assert.equal(await channels.pauseChannel("nothing", ME), undefined)
    assert.equal(await channels.drainChannel("nothing", { timeoutMs: 1_000 }, ME), undefined)
    assert.deepEqual(await channels.listNames(), ["studio"])
    assert.deepEqual(await listChanges(), [])
  })

  it("is drained until it has nothing in flight, or time is up, and stays paused", async () => {
    const { add, clock, operator, storage } = createWorld()
    await add("t1", "acme", "studio")
    const looks: number[] = []
    const onLook = (inFlight: number): void => void looks.push(inFlight)
    const draining = operator.channels.drainChannel("studio", { timeoutMs: 8_000, onLook }, ME)
    for (let second = 0; second < 8; second += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one second after the other
      await clock.advance(1_000)
    }
    assert.equal(await draining, 1)
    assert.deepEqual(
      looks,
      Array.from({ length: 8 }, () => 1),
    )
    assert.equal((await storage.listPausedChannels()).length, 1)
  })
})
