/** Checkpoints are signed over what only grows, and kept in places outside of the database. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createCheckpointKeeper,
  isRefusal,
  type CheckpointCopy,
  type CheckpointKeeperOptions,
} from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import { createMemoryStorage } from "@safelight/testkit"
import { addTask } from "../support/sample-log.ts"
import { tree } from "./sample-tree.ts"
import { createSigner, demand, NOW } from "./signed-tasks.ts"

interface FakeCopy extends CheckpointCopy {
  readonly notes: string[]
  isAway: boolean
}

function createCopy(notes: string[] = []): FakeCopy {
  const copy: FakeCopy = {
    name: "a place",
    notes,
    isAway: false,
    async readLast() {
      if (copy.isAway) throw new Error("away")
      return notes.at(-1)
    },
    async keep({ note }) {
      if (copy.isAway) throw new Error("away")
      notes.push(note)
    },
  }
  return copy
}

const signer = createSigner()

function createKeeper(options: Partial<CheckpointKeeperOptions> = {}) {
  const storage = options.storage ?? createMemoryStorage()
  const keeper = createCheckpointKeeper({
    tree,
    signer,
    verify: verifyEd25519,
    ...options,
    storage,
  })
  return { keeper, storage }
}

describe("a keeper of checkpoints", () => {
  it("opens the tree, signs all that was committed, and hands each checkpoint out once", async () => {
    const copy = createCopy()
    const storage = createMemoryStorage()
    const { keeper } = createKeeper({ storage, copies: [copy] })
    await addTask(storage, "a")
    const first = demand(await keeper.keep(NOW))
    assert.deepEqual([first.checkpoint.size, first.failures], [3, []])
    assert.equal(demand(await keeper.keep(NOW + 1)).checkpoint.note, first.checkpoint.note)
    await addTask(storage, "b")
    const second = demand(await keeper.keep(NOW + 2))
    assert.equal(second.checkpoint.size, 6)
    assert.deepEqual(copy.notes, [first.checkpoint.note, second.checkpoint.note])
    // Another process, which reads that the place has it.
    demand(await createKeeper({ storage, copies: [copy] }).keeper.keep(NOW + 3))
    assert.equal(copy.notes.length, 2)
  })

  it("tells which place did not take it, and hands it out again", async () => {
    const [copy, other] = [createCopy(), createCopy()]
    const storage = createMemoryStorage()
    const { keeper } = createKeeper({ storage, copies: [copy, other] })
    demand(await keeper.keep(NOW))
    copy.isAway = true
    await addTask(storage, "a")
    const { checkpoint, failures } = demand(await keeper.keep(NOW))
    assert.equal(failures.length, 1)
    assert.equal(other.notes.at(-1), checkpoint.note)
    copy.isAway = false
    assert.deepEqual(demand(await keeper.keep(NOW)).failures, [])
    assert.equal(copy.notes.at(-1), checkpoint.note)
    assert.equal(other.notes.filter((note) => note === checkpoint.note).length, 1)
  })

  it("signs nothing before it could read what every place has", async () => {
    const copy = createCopy()
    copy.isAway = true
    const { keeper, storage } = createKeeper({ copies: [copy] })
    await assert.rejects(keeper.keep(NOW), /away/)
    assert.equal(await storage.findCheckpoint({ mostSize: 100 }), undefined)
    copy.isAway = false
    demand(await keeper.keep(NOW))
  })

  it("refuses a database that was set back, also if it is the process's own", async () => {
    const [copy, storage] = [createCopy(), createMemoryStorage()]
    const { keeper } = createKeeper({ storage, copies: [copy] })
    await addTask(storage, "a")
    await addTask(storage, "b")
    demand(await keeper.keep(NOW))
    const earlier = createMemoryStorage()
    await addTask(earlier, "a")
    // Another process over the earlier state, which knows the place alone.
    const after = await createKeeper({ storage: earlier, copies: [copy] }).keeper.keep(NOW)
    assert.equal(isRefusal(after) && after.code, "shorter-tree")
    assert.equal(copy.notes.length, 1)
    // The same process, whose database is exchanged beneath it.
    const exchanged = Object.create(storage) as typeof storage
    const { keeper: running } = createKeeper({ storage: exchanged })
    demand(await running.keep(NOW))
    for (const name of ["listUnsequenced", "readTree", "findCheckpoint", "readTile"] as const) {
      Object.assign(exchanged, { [name]: earlier[name].bind(earlier) })
    }
    const refused = await running.keep(NOW)
    assert.equal(isRefusal(refused) && refused.code, "shorter-tree")
  })

  it("refuses another history of the same size", async () => {
    const [copy, storage, other] = [createCopy(), createMemoryStorage(), createMemoryStorage()]
    await addTask(storage, "a")
    demand(await createKeeper({ storage, copies: [copy] }).keeper.keep(NOW))
    await addTask(other, "b")
    const refused = await createKeeper({ storage: other, copies: [copy] }).keeper.keep(NOW)
    assert.equal(isRefusal(refused) && refused.code, "other-tree")
  })

  it("goes on with another key where the former one is named, and not where it isn't", async () => {
    const storage = createMemoryStorage()
    await addTask(storage, "a")
    demand(await createKeeper({ storage }).keeper.keep(NOW))
    await addTask(storage, "b")
    const rotated = createSigner()
    const stranger = await createKeeper({ storage, signer: rotated }).keeper.keep(NOW)
    assert.equal(isRefusal(stranger) && stranger.code, "unsigned")
    const formerKeys = [signer.key]
    const keeper = createKeeper({ storage, signer: rotated, formerKeys }).keeper
    assert.equal(demand(await keeper.keep(NOW)).checkpoint.size, 6)
  })

  it("begins a log of another name over a database that was restored", async () => {
    const storage = createMemoryStorage()
    await addTask(storage, "a")
    const copy = createCopy()
    demand(await createKeeper({ storage, copies: [copy] }).keeper.keep(NOW))
    const anew = createSigner("media.example/second-log")
    // Its place has checkpoints of the old log, which it can't extend.
    const refused = await createKeeper({ storage, signer: anew, copies: [copy] }).keeper.keep(NOW)
    assert.ok(isRefusal(refused))
    const { keeper } = createKeeper({ storage, signer: anew })
    const first = demand(await keeper.keep(NOW)).checkpoint
    assert.match(first.note, /^media\.example\/second-log\n3\n/)
    await addTask(storage, "b")
    const { checkpoint } = demand(await keeper.keep(NOW))
    assert.deepEqual(await storage.findCheckpoint({ mostSize: 100 }), checkpoint)
  })

  it("may be one of several over one database", async () => {
    const [copy, storage] = [createCopy(), createMemoryStorage()]
    const keepers = [1, 2, 3].map(() => createKeeper({ storage, copies: [copy] }).keeper)
    for (const id of ["a", "b", "c", "d"]) {
      await addTask(storage, id)
      const reports = await Promise.all(keepers.map((keeper) => keeper.keep(NOW)))
      const notes = new Set(reports.map((report) => demand(report).checkpoint.note))
      assert.equal(notes.size, 1)
    }
    assert.equal(new Set(copy.notes).size, 4)
  })
})
