/** The tree is signed only if it extends every checkpoint that was signed before, wherever that was kept. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { KeptCheckpoint } from "@safelight/core"
import {
  createSequencer,
  createTreeSource,
  isRefusal,
  openCheckpoint,
  proveConsistency,
  signTree,
  verifyConsistency,
  type SignTreeOptions,
} from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import { createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { addTask } from "../support/sample-log.ts"
import { tree } from "./sample-tree.ts"
import { createSigner, NOW, ORIGIN } from "./signed-tasks.ts"

const signer = createSigner()

interface LoggedTasks {
  readonly storage: MemoryStorage
  /** Adds tasks and gives their events leaves. */
  add(...ids: readonly string[]): Promise<void>
  sign(options?: Partial<SignTreeOptions>): Promise<KeptCheckpoint>
  refusal(options?: Partial<SignTreeOptions>): Promise<string>
}

async function createLog(): Promise<LoggedTasks> {
  const storage = createMemoryStorage()
  await storage.openTree()
  const sequencer = createSequencer({ storage, tree })
  const trySign = (options: Partial<SignTreeOptions> = {}) =>
    signTree({
      storage,
      tree,
      origin: ORIGIN,
      signers: [signer],
      verify: verifyEd25519,
      now: NOW,
      ...options,
    })
  return {
    storage,
    async add(...ids) {
      for (const id of ids) await addTask(storage, id)
      await sequencer.sequence()
    },
    async sign(options) {
      const signed = await trySign(options)
      assert.ok(!isRefusal(signed), JSON.stringify(signed))
      return signed
    },
    async refusal(options) {
      const before = await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })
      const signed = await trySign(options)
      assert.ok(isRefusal(signed))
      const after = await storage.findCheckpoint({ mostSize: Number.MAX_SAFE_INTEGER })
      assert.deepEqual(after, before)
      return signed.code
    },
  }
}

describe("signing the tree", () => {
  it("makes a checkpoint of all that has leaves, which is kept", async () => {
    const log = await createLog()
    await log.add("a", "b")
    const signed = await log.sign()
    assert.deepEqual([signed.size, signed.at], [6, NOW])
    assert.deepEqual(await log.storage.findCheckpoint({ mostSize: 6 }), signed)
    const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519 }
    const opened = await openCheckpoint(signed.note, options)
    assert.ok(!isRefusal(opened))
    assert.equal(opened.checkpoint.size, 6)
    const { root = "" } = (await log.storage.readTree()) ?? {}
    assert.equal(Buffer.from(opened.checkpoint.root).toString("hex"), root)
  })

  it("gives the checkpoint that there is as long as no event came", async () => {
    const log = await createLog()
    await log.add("a")
    const first = await log.sign()
    assert.deepEqual(await log.sign({ now: NOW + 5_000 }), first)
    await log.add("b")
    assert.equal((await log.sign()).size, 6)
  })

  it("makes checkpoints of which each extends the one before, as a proof shows", async () => {
    const log = await createLog()
    const notes: string[] = []
    for (let round = 0; round < 6; round += 1) {
      await log.add(...Array.from({ length: 90 }, (_, index) => `${round}-${index}`))
      notes.push((await log.sign({ known: notes })).note)
    }
    const options = { origin: ORIGIN, logKeys: [signer.key], verify: verifyEd25519 }
    const opened = await Promise.all(notes.map((note) => openCheckpoint(note, options)))
    const checkpoints = opened.map((each) => {
      assert.ok(!isRefusal(each))
      return each.checkpoint
    })
    for (const [place, second] of checkpoints.entries()) {
      const source = createTreeSource(log.storage, { size: second.size, tree })
      for (const first of checkpoints.slice(0, place + 1)) {
        const claim = {
          firstSize: first.size,
          firstRoot: first.root,
          secondSize: second.size,
          secondRoot: second.root,
          proof: await proveConsistency(source, first.size),
        }
        assert.equal(verifyConsistency(tree, claim), true)
      }
    }
  })

  it("is refused without a tree", async () => {
    const storage = createMemoryStorage()
    const log = await createLog()
    assert.equal(await log.refusal({ storage }), "no-tree")
  })

  it("is refused over a database that was set back, by a checkpoint that was kept elsewhere", async () => {
    const [log, copy] = [await createLog(), await createLog()]
    await log.add("a", "b")
    await copy.add("a", "b")
    const old = await log.sign()
    await log.add("c", "d")
    const known = [old.note, (await log.sign()).note]
    assert.equal(await copy.refusal({ known }), "shorter-tree")
    await copy.add("e", "f")
    assert.equal(await copy.refusal({ known }), "other-tree")
    await copy.add("g")
    assert.equal(await copy.refusal({ known }), "other-tree")
    // Of what both have, nothing is contradicted.
    assert.equal((await copy.sign({ known: [old.note] })).size, 15)
  })

  it("is refused over tiles that were altered since the last checkpoint", async () => {
    const log = await createLog()
    await log.add("a", "b")
    await log.sign()
    const readTile = async () => new Uint8Array(8_192)
    assert.equal(await log.refusal({ storage: { ...log.storage, readTile } }), "other-tree")
    const missing = { ...log.storage, readTile: async () => undefined }
    await assert.rejects(log.sign({ storage: missing }), { code: "storage-corrupt" })
    await log.add("c")
    const readTree = async () => ({ size: 9, root: "ff".repeat(32) })
    assert.equal(await log.refusal({ storage: { ...log.storage, readTree } }), "other-tree")
  })

  it("is refused if a kept checkpoint is not the log's own, or is none", async () => {
    const log = await createLog()
    await log.add("a")
    const stranger = createSigner()
    const other = await createLog()
    await other.add("a")
    const { note } = await other.sign({ signers: [stranger] })
    assert.equal(await log.refusal({ known: [note] }), "unsigned")
    assert.equal(await log.refusal({ known: ["nothing"] }), "malformed")
    const own = await log.sign()
    await log.add("b")
    const forged = own.note.replace("\n3\n", "\n2\n")
    assert.equal(await log.refusal({ known: [forged] }), "forged")
    const origin = "safelight.example.com/other"
    assert.equal(await log.refusal({ origin, known: [own.note] }), "other-log")
  })

  it("goes on with another key, as long as the former one is known", async () => {
    const log = await createLog()
    await log.add("a")
    await log.sign()
    await log.add("b")
    const next = createSigner()
    assert.equal(await log.refusal({ signers: [next] }), "unsigned")
    const signed = await log.sign({ signers: [next], formerKeys: [signer.key] })
    const options = { origin: ORIGIN, logKeys: [next.key], verify: verifyEd25519 }
    assert.ok(!isRefusal(await openCheckpoint(signed.note, options)))
  })

  it("is not taken for a contradiction if another process extends and signs meanwhile", async () => {
    const log = await createLog()
    await log.add("a")
    await log.sign()
    const storage = {
      ...log.storage,
      async findCheckpoint(request: { readonly mostSize: number }) {
        const found = await log.storage.findCheckpoint(request)
        await log.add("b")
        await log.sign()
        return found
      },
    }
    assert.equal((await log.sign({ storage })).size, 6)
  })
})
