/** The proof of a task: what is in the log is proved by its public key alone, and nothing else is. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  GENESIS_HASH,
  hashShownEvent,
  toShownEvents,
  type ShownEvent,
  type TreeTilePlace,
} from "@safelight/core"
import { sha256 as digest } from "@safelight/engine"
import {
  createProofService,
  createSequencer,
  hashEventEntry,
  isRefusal,
  openCheckpoint,
  openEventProof,
  openTaskProof,
  proveTask,
  verifyInclusion,
  type RefusalCode,
  type VerifierKey,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import {
  copyProof,
  createAlterations,
  createProofs,
  open,
  TASKS,
  type ProofDocument,
} from "./altered-proofs.ts"
import { sampleLeaf, tree } from "./sample-tree.ts"
import { createSignedTasks, createSigner, demand, ORIGIN } from "./signed-tasks.ts"

describe("the proof of a task", () => {
  it("opens to its events and the checkpoint that has them", async () => {
    const { prove, signer, storage } = await createProofs()
    for (const task of TASKS) {
      const opened = demand(await open(copyProof(await prove(task)), signer.key))
      assert.equal(opened.checkpoint.size, 15)
      const stored = await storage.readEvents(task)
      assert.deepEqual(
        opened.events.map(({ data, hash, version }) => [version, hash, data]),
        stored.map(({ data, hash, version }) => [version, hash, data]),
      )
    }
  })

  it("reads each tile once, however many events the task has", async () => {
    const { checkpoint, storage } = await createProofs()
    const read: string[] = []
    const counted = {
      ...storage,
      readTile(place: TreeTilePlace) {
        read.push(`${place.level}/${place.index}`)
        return storage.readTile(place)
      },
    }
    const [task = ""] = TASKS
    const options = { storage: counted, tree, sha256, checkpoint, viewer: "account" } as const
    const proof = (await proveTask(options, task)) ?? assert.fail()
    assert.ok(proof.events.length > 1)
    assert.deepEqual(read, ["0/0"])
  })

  it("has the events that the checkpoint has, and no later one", async () => {
    const { add, checkpoint, signer, storage } = await createProofs()
    await add("f")
    assert.equal(
      await proveTask({ storage, tree, sha256, checkpoint, viewer: "account" }, "f"),
      undefined,
    )
    assert.equal(
      await proveTask({ storage, tree, sha256, checkpoint, viewer: "account" }, "nobody"),
      undefined,
    )
    const part = { ...checkpoint, size: 2 }
    const proof = await proveTask(
      { storage, tree, sha256, checkpoint: part, viewer: "operator" },
      "a",
    )
    assert.deepEqual(
      proof?.events.map(({ version }) => version),
      [1, 2],
    )
    // The note is that of another size.
    assert.ok(isRefusal(await open(proof, signer.key)))
  })

  it("is refused under another key, and of another log", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("a")
    const stranger = await open(proof, createSigner().key)
    assert.equal(isRefusal(stranger) && stranger.code, "unsigned")
    const options = { logKeys: [signer.key], verify: verifyEd25519, sha256 }
    const other = await openTaskProof(proof, { ...options, origin: "other.example/log" })
    assert.equal(isRefusal(other) && other.code, "other-log")
  })

  it("is refused whatever of it is altered", async (t) => {
    const { prove, signer } = await createProofs()
    const [proof, other] = [await prove("b"), await prove("c")]
    const alterations = createAlterations(other)
    const drawn = fc.tuple(fc.constantFrom(...Object.keys(alterations)), fc.nat(2))
    await checkAsync(
      t,
      fc.asyncProperty(drawn, async ([name, place]) => {
        const document = copyProof(proof)
        alterations[name]?.(document, place)
        assert.ok(isRefusal(await open(document, signer.key)), name)
      }),
    )
  })

  it("is refused without a throw if it is any other JSON", async (t) => {
    const { prove, signer } = await createProofs()
    const proof: ProofDocument & Record<string, unknown> = { ...copyProof(await prove("a")) }
    const member = fc.constantFrom("task", "checkpoint", "events", "format", "version")
    const event = fc.constantFrom("at", "data", "hash", "index", "proof", "schema", "type")
    await checkAsync(
      t,
      fc.asyncProperty(fc.jsonValue(), member, event, async (value, name, part) => {
        assert.ok(isRefusal(await open(value, signer.key)))
        fc.pre(JSON.stringify(value) !== JSON.stringify(proof[name]))
        assert.ok(isRefusal(await open({ ...proof, [name]: value }, signer.key)))
        const [first, ...rest] = proof.events
        // The same JSON is no other: 0 and -0, or the schema that it has.
        fc.pre(JSON.stringify(value) !== JSON.stringify(first?.[part]))
        const events = [{ ...first, [part]: value }, ...rest]
        assert.ok(isRefusal(await open({ ...proof, events }, signer.key)))
      }),
    )
  })
})

describe("the proof of one event", () => {
  const optionsOf = (key: VerifierKey) => {
    return { origin: ORIGIN, logKeys: [key], verify: verifyEd25519, sha256 }
  }

  async function createClaim() {
    const { prove, signer } = await createProofs()
    const { checkpoint, events, task } = await prove("b")
    const [first, event = assert.fail("no second event")] = events
    return { signer, event, claim: { checkpoint, task, previousHash: first?.hash, event } }
  }

  it("opens to the event, behind the hash before it", async () => {
    const { claim, event, signer } = await createClaim()
    const opened = demand(await openEventProof(claim, optionsOf(signer.key)))
    assert.deepEqual([opened.task, opened.event, opened.checkpoint.size], ["b", event, 15])
  })

  it("is refused whatever of it is altered", async () => {
    const { claim, event, signer } = await createClaim()
    const hash = Buffer.from(sampleLeaf(0)).toString("base64")
    const { hash: _, index: __, proof: ___, ...said } = { ...event, version: 0 }
    const none = hashShownEvent(digest, GENESIS_HASH, { ...said, task: "b" })
    const alterations: readonly (readonly [code: RefusalCode, change: object])[] = [
      ["broken-chain", { task: "c" }],
      ["broken-chain", { previousHash: event.hash }],
      ["broken-chain", { event: { ...event, data: `${event.data} ` } }],
      ["broken-chain", { event: { ...event, at: event.at + 1 } }],
      ["broken-chain", { event: { ...event, sealed: "ef".repeat(32) } }],
      ["broken-chain", { event: { ...event, hash: "ef".repeat(32) } }],
      ["not-included", { event: { ...event, index: event.index + 1 } }],
      ["not-included", { event: { ...event, index: 15 } }],
      ["not-included", { event: { ...event, proof: [...event.proof, hash] } }],
      ["not-included", { event: { ...event, proof: ["A"] } }],
      ["malformed", { event: { ...event, ...said, hash: none }, previousHash: GENESIS_HASH }],
      ["malformed", { event: null }],
      ["malformed", { previousHash: null }],
      ["malformed", { previousHash: "0" }],
      ["malformed", { task: 1 }],
      ["malformed", { task: "\ud800" }],
      ["malformed", { checkpoint: undefined }],
    ]
    for (const [code, change] of alterations) {
      const refused = await openEventProof({ ...claim, ...change }, optionsOf(signer.key))
      assert.ok(isRefusal(refused), JSON.stringify(change))
      assert.equal(refused.code, code, JSON.stringify(change))
    }
    const stranger = await openEventProof(claim, optionsOf(createSigner().key))
    assert.equal(isRefusal(stranger) && stranger.code, "unsigned")
  })
})

describe("a service's proofs", () => {
  it("are under the newest checkpoint, and there are none before the first", async () => {
    const log = await createSignedTasks()
    await log.storage.openTree()
    const { key } = log.signer
    const proofs = createProofService({ storage: log.storage, tree, sha256, keys: [key] })
    assert.equal(proofs.identity.origin, ORIGIN)
    await log.add("a")
    assert.equal(await proofs.findCheckpoint(), undefined)
    assert.equal(await proofs.proveTask("a", "account"), undefined)
    await log.sign()
    demand(await open(await proofs.proveTask("a", "account"), key))
    await log.add("b")
    const second = await log.sign()
    assert.deepEqual(await proofs.findCheckpoint(), second)
    assert.equal((await proofs.proveTask("a", "account"))?.checkpoint, second.note)
  })

  it("are of events of many tasks under one checkpoint, and of none that it lacks", async () => {
    const log = await createSignedTasks()
    const { key } = log.signer
    let reads = 0
    const storage = {
      ...log.storage,
      readTile(place: TreeTilePlace) {
        reads += 1
        return log.storage.readTile(place)
      },
    }
    const proofs = createProofService({ storage, tree, sha256, keys: [key] })
    const names = Array.from({ length: 200 }, (_, place) => `t${place}`)
    await log.add(...names)
    const endOf = async (task: string): Promise<ShownEvent> => {
      const events = toShownEvents(digest, await log.storage.readEvents(task))
      return events.at(-1) ?? assert.fail(`${task} has no events`)
    }
    const ends = await Promise.all(["t150", "t0", "t199"].map(endOf))
    assert.equal(await proofs.proveEvents(ends), undefined)
    const { note } = await log.sign()
    // It has a leaf, which no checkpoint has.
    await log.add("later")
    await createSequencer({ storage: log.storage, tree }).sequence()
    const [first, ...others] = ends
    assert.ok(first !== undefined)
    const asked = [first, await endOf("later"), ...others]
    const proven = (await proofs.proveEvents(asked)) ?? assert.fail("nothing is proved")
    assert.equal(proven.checkpoint, note)
    const { checkpoint } = demand(
      await openCheckpoint(note, { origin: ORIGIN, logKeys: [key], verify: verifyEd25519 }),
    )
    for (const [place, event] of asked.entries()) {
      const found = proven.proofs[place]
      if (event.task === "later") {
        assert.equal(found, null)
        continue
      }
      assert.ok(found)
      const { index, proof, ...rest } = found
      assert.deepEqual({ ...rest, task: event.task }, event)
      const leafHash = hashEventEntry(tree, event)
      const path = proof.map((hash) => Uint8Array.from(Buffer.from(hash, "base64")))
      assert.ok(verifyInclusion(tree, { ...checkpoint, leafHash, index, proof: path }))
    }
    // Each tile once, of 600 leaves.
    assert.ok(reads <= 4, `${reads} reads`)
  })

  it("have tiles by their names, cut as they are asked for, and no others", async () => {
    const { storage, signer } = await createProofs()
    const proofs = createProofService({ storage, tree, sha256, keys: [signer.key] })
    const whole = (await storage.readTile({ level: 0, index: 0 })) ?? assert.fail("no tile")
    assert.deepEqual(await proofs.readTile("0/000.p/15"), whole)
    assert.deepEqual(await proofs.readTile("0/000.p/3"), whole.subarray(0, 96))
    for (const path of ["0/000", "0/000.p/16", "0/001", "1/000.p/1", "0/0", "0/000.p/03", ".."]) {
      assert.equal(await proofs.readTile(path), undefined, path)
    }
  })
})
