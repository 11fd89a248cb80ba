/**
 * A task's proof, verified by the client: it believes what `openTaskProof` believes, refuses every alteration as it does,
 * and is kept busy by nobody.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isApiError, verifyTaskProof, type TaskProofVerdict } from "@safelight/client"
import type { TaskProof } from "@safelight/core"
import {
  isRefusal,
  openCheckpoint,
  signCheckpoint,
  toVerifierText,
  type NoteSigner,
} from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import {
  copyProof,
  createAlterations,
  createProofs,
  open,
  TASKS,
  type ProofDocument,
} from "../proof/altered-proofs.ts"
import { proveByHand } from "../proof/prove-by-hand.ts"
import { createSigner, createWitness, demand, NOW, ORIGIN } from "../proof/signed-tasks.ts"

const toKeys = (...signers: readonly NoteSigner[]) => signers.map(({ key }) => toVerifierText(key))

function assertFault(
  verdict: TaskProofVerdict,
  code: string,
  event: number | null = null,
): asserts verdict is TaskProofVerdict & { isProven: false } {
  assert.ok(!verdict.isProven, "it is proved")
  assert.deepEqual([verdict.code, verdict.event], [code, event], verdict.reason)
}

/** The client and the package that made the proof say the same of a document. */
async function assertAgreed(document: unknown, { signer }: { signer: NoteSigner }): Promise<void> {
  const verdict = await verifyTaskProof(document, { keys: toKeys(signer) })
  const opened = await open(document, signer.key)
  if (isRefusal(opened)) {
    const [, event] = /^event (\d+) /.exec(opened.reason) ?? []
    assertFault(verdict, opened.code, event === undefined ? null : Number(event))
    return
  }
  assert.ok(verdict.isProven, JSON.stringify(verdict))
  const { events, task } = opened
  const said = events.map((event) => {
    const { at, data, hash, schema, sealed, type, version } = event
    return { version, at, type, schema, data, ...(sealed !== undefined && { sealed }), hash }
  })
  assert.deepEqual([verdict.task, verdict.events], [task, said])
  assert.equal(verdict.checkpoint.size, opened.checkpoint.size)
}

describe("a task's proof, verified by the client", () => {
  it("says what is in the log, whose it is, and that the caller knew its key", async () => {
    const { prove, signer, storage } = await createProofs()
    for (const task of TASKS) {
      const proof = copyProof(await prove(task))
      const verdict = await verifyTaskProof(proof, { keys: toKeys(signer), task })
      assert.ok(verdict.isProven, JSON.stringify(verdict))
      const { checkpoint, events, isPinned } = verdict
      assert.deepEqual([verdict.task, isPinned], [task, true])
      assert.deepEqual(checkpoint, {
        origin: ORIGIN,
        size: 15,
        seenAt: null,
        keys: toKeys(signer),
      })
      const stored = await storage.readEvents(task)
      assert.deepEqual(
        events.map(({ at, data, hash, type, version }) => [version, at, type, data, hash]),
        stored.map(({ at, data, hash, type, version }) => [version, at, type, data, hash]),
      )
    }
  })

  it("has nothing in it that is not proved", async () => {
    const { prove, signer } = await createProofs()
    const proof = copyProof(await prove("a"))
    proof.events[0] = { ...proof.events[0], note: "you are owed a refund" }
    const verdict = await verifyTaskProof(proof, { keys: toKeys(signer) })
    assert.ok(verdict.isProven)
    assert.ok(!JSON.stringify(verdict).includes("refund"))
  })

  it("by the keys of the service says that they are the service's own word", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("a")
    const verdict = await verifyTaskProof(proof, { log: { keys: toKeys(signer) } })
    assert.deepEqual([verdict.isProven, verdict.isPinned], [true, false])
    const stranger = await verifyTaskProof(proof, { log: { keys: toKeys(createSigner()) } })
    assertFault(stranger, "unsigned")
    assert.equal(stranger.isPinned, false)
  })

  it("is refused under another key, of another log, and of another task", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("a")
    assertFault(await verifyTaskProof(proof, { keys: toKeys(createSigner()) }), "unsigned")
    // In a note that this key has signed too, but which is of another log.
    const other = createSigner("other.example/log")
    const opened = demand(
      await openCheckpoint(proof.checkpoint, {
        origin: ORIGIN,
        logKeys: [signer.key],
        verify: verifyEd25519,
      }),
    )
    const checkpoint = await signCheckpoint(opened.checkpoint, [other], NOW)
    assertFault(
      await verifyTaskProof({ ...proof, checkpoint }, { keys: toKeys(other) }),
      "other-log",
    )
    const keys = toKeys(signer)
    assertFault(await verifyTaskProof(proof, { keys, task: "b" }), "other-task")
    // A new key beside the former one.
    const both = [...toKeys(createSigner()), ...keys]
    assert.ok((await verifyTaskProof(proof, { keys: both })).isProven)
  })

  it("tells when a trusted witness saw it, and is none by a witness alone", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("a")
    const [early, late] = [createWitness("w1.example"), createWitness("w2.example")]
    const opened = demand(await open(proof, signer.key))
    const sign = (...signers: readonly NoteSigner[]) =>
      signCheckpoint(opened.checkpoint, signers, NOW)
    const note = await sign(signer, early, late)
    const seen = { ...proof, checkpoint: note }
    const keys = toKeys(signer)
    const verdict = await verifyTaskProof(seen, { keys, witnesses: toKeys(early, late) })
    assert.ok(verdict.isProven)
    assert.deepEqual([verdict.checkpoint.seenAt, verdict.checkpoint.keys], [NOW, keys])
    const untrusted = await verifyTaskProof(seen, { keys })
    assert.equal(untrusted.isProven && untrusted.checkpoint.seenAt, null)
    const alone = { ...proof, checkpoint: await sign(early) }
    assertFault(await verifyTaskProof(alone, { keys, witnesses: toKeys(early) }), "unsigned")
    // The moment is signed: its last second is in the twelfth byte.
    const [, line = "", encoded = ""] = /\n(— w1\.example (\S+))\n/.exec(note) ?? []
    const bytes = Buffer.from(encoded, "base64")
    bytes[11] = (bytes[11] ?? 0) ^ 1
    const moved = note.replace(line, `— w1.example ${bytes.toString("base64")}`)
    const forged = { ...proof, checkpoint: moved }
    assertFault(await verifyTaskProof(forged, { keys, witnesses: toKeys(early) }), "forged")
  })

  it("throws for keys of the caller's that are none, and refuses such keys of a service", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("a")
    const [key = ""] = toKeys(signer)
    const [witness = ""] = toKeys(createWitness("w.example"))
    const [other = ""] = toKeys(createSigner("other.example/log"))
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /^keys: expected one or more/],
      [["key"], /^keys\[0\]: expected/],
      [[key, witness], /^keys\[1\]: expected the public key of a log/],
      [[key, other], /^keys\[1\]: it is the key of another log than media\.example\/log$/],
      [[`${key} `], /^keys\[0\]/],
      [[key.replace(/\+[0-9a-f]{8}\+/, "+00000000+")], /^keys\[0\]/],
      [[key.replace("+A", "+B")], /^keys\[0\]/],
      [[`a b${key}`], /^keys\[0\]/],
      [[`${key}${"A".repeat(400)}`], /^keys\[0\]/],
    ]
    for (const [keys, message] of wrong) {
      await assert.rejects(verifyTaskProof(proof, { keys }), { name: "TypeError", message })
      assertFault(await verifyTaskProof(proof, { log: { keys } }), "malformed")
    }
    const witnesses = [key]
    const message = /^witnesses\[0\]: expected the public key of a witness/
    await assert.rejects(verifyTaskProof(proof, { keys: [key], witnesses }), { message })
    const many = Array.from({ length: 65 }, () => key)
    assertFault(await verifyTaskProof(proof, { log: { keys: many } }), "too-large")
    assert.ok((await verifyTaskProof(proof, { keys: many })).isProven)
  })
})

describe("a task's proof that was altered", () => {
  it("is refused by the client as by whoever made it, whatever was altered", async () => {
    const proofs = await createProofs()
    const [proof, other] = [await proofs.prove("b"), await proofs.prove("c")]
    const alterations = Object.entries(createAlterations(other))
    assert.ok(alterations.length >= 20)
    for (const [name, alter] of alterations) {
      for (const place of [0, 1, 2]) {
        const document = copyProof(proof)
        alter(document, place)
        const verdict = await verifyTaskProof(document, { keys: toKeys(proofs.signer) })
        assert.ok(!verdict.isProven, name)
        await assertAgreed(document, proofs)
      }
    }
  })

  it("names the first event that is wrong", async () => {
    const { prove, signer } = await createProofs()
    const proof = await prove("b")
    const alter = async (changes: Partial<TaskProof["events"][number]>) => {
      const events = proof.events.with(1, { ...(proof.events[1] ?? assert.fail()), ...changes })
      return verifyTaskProof({ ...proof, events }, { keys: toKeys(signer) })
    }
    assertFault(await alter({ at: 5 }), "broken-chain", 2)
    assertFault(await alter({ index: 9 }), "not-included", 2)
    assertFault(await alter({ hash: "" }), "malformed", 2)
  })

  it("is judged as by whoever made it, in trees of every size and with any JSON in any place", async (t) => {
    const sizes = [1, 2, 3, 4, 5, 7]
    const logs = await Promise.all(
      sizes.map(async (size) => createProofs(TASKS.concat("f", "g").slice(0, size))),
    )
    const member = fc.constantFrom("task", "checkpoint", "events", "format", "version")
    const eventMember = fc.constantFrom(...EVENT_MEMBERS)
    const number = fc.nat(1_000_000)
    await checkAsync(
      t,
      fc.asyncProperty(
        fc.constantFrom(...logs),
        fc.oneof(fc.jsonValue(), fc.nat(20), fc.string({ unit: "binary" }), LONE),
        member,
        eventMember,
        number,
        async (log, value, name, part, at) => {
          const stored = await log.storage.scan({ after: "", limit: 10 })
          const { id } = stored.streams[at % stored.streams.length] ?? assert.fail()
          const proof = copyProof(await log.prove(id))
          await assertAgreed(proof, log)
          await assertAgreed(value, log)
          await assertAgreed({ ...proof, [name]: value }, log)
          const place = at % proof.events.length
          const events = proof.events.with(place, { ...proof.events[place], [part]: value })
          await assertAgreed({ ...proof, events }, log)
          await assertAgreed(alterCharacter(proof, at), log)
        },
      ),
    )
  })
})

const EVENT_MEMBERS = [
  "at",
  "data",
  "hash",
  "index",
  "proof",
  "schema",
  "sealed",
  "type",
  "version",
] as const

/** What has no UTF-8, and is written in JSON all the same. */
const LONE = fc.constantFrom("\ud800", "\udc00a", "media.example/log\udfff\n1\n")

/** Another character somewhere in its text, where that is still JSON. */
function alterCharacter(proof: ProofDocument, at: number): unknown {
  const text = JSON.stringify(proof)
  const place = at % text.length
  const characters = ["0", "A", "+", "\\n", "é", " "]
  const altered = `${text.slice(0, place)}${characters[at % characters.length]}${text.slice(place + 1)}`
  try {
    return JSON.parse(altered)
  } catch {
    return undefined
  }
}

describe("a log of an operator who signs what no log may have", () => {
  const cases = [
    ["as it should be", [1, 2, 3], [0, 1, 2], null],
    ["without version 1", [2, 3], [0, 1], ["broken-chain", 1]],
    ["without version 2", [1, 3], [0, 1], ["broken-chain", 2]],
    ["with version 1 twice", [1, 1, 2], [0, 1, 2], ["broken-chain", 2]],
    ["with version 2 before version 1", [1, 2, 3], [1, 0, 2], ["not-included", 2]],
  ] as const
  for (const [title, versions, leaves, fault] of cases) {
    it(`is ${fault === null ? "proved" : "refused"} ${title}`, async () => {
      const signer = createSigner()
      const document = await proveByHand(signer, versions, leaves)
      await assertAgreed(document, { signer })
      const verdict = await verifyTaskProof(document, { keys: toKeys(signer) })
      if (fault === null) return assert.ok(verdict.isProven, JSON.stringify(verdict))
      const [code, event] = fault
      assertFault(verdict, code, event)
    })
  }
})

describe("a proof of a service that is hostile", () => {
  it("is refused by counting, before anything is computed", async (t) => {
    const { prove, signer } = await createProofs()
    const proof = copyProof(await prove("a"))
    const [event = {}] = proof.events
    const verified = t.mock.method(crypto.subtle, "verify")
    const huge = "x".repeat(16 * 2 ** 20)
    const half = { ...event, data: huge.slice(0, huge.length / 2) }
    const cases: readonly (readonly [object, number | null])[] = [
      [{ ...proof, events: Array.from({ length: 1_025 }, () => event) }, null],
      [{ ...proof, events: [{ ...event, data: huge }] }, 1],
      [{ ...proof, events: [{ ...event, type: huge }] }, 1],
      [{ ...proof, events: [half, half] }, 2],
      [{ ...proof, task: "t".repeat(1_025) }, null],
      [{ ...proof, checkpoint: `${proof.checkpoint}${"\n".repeat(128 * 1024)}` }, null],
      [{ ...proof, checkpoint: `${proof.checkpoint}${"— a AAAAAAAA\n".repeat(64)}` }, null],
    ]
    for (const [document, place] of cases) {
      assertFault(await verifyTaskProof(document, { keys: toKeys(signer) }), "too-large", place)
    }
    assert.equal(verified.mock.callCount(), 0)
    const long = Array.from({ length: 1_000_000 }, () => proof.events[0]?.["hash"])
    const events = [{ ...event, proof: long }, ...proof.events.slice(1)]
    const verdict = await verifyTaskProof({ ...proof, events }, { keys: toKeys(signer) })
    assertFault(verdict, "not-included", 1)
  })

  it("gets no more of a foreign name into a reason than a name has", async () => {
    const { prove } = await createProofs()
    const [ours, theirs] = [createSigner(), createSigner()]
    const proof = await prove("a")
    const checkpoint = await signCheckpoint(
      { origin: "o".repeat(100_000), size: 1, root: new Uint8Array(32), extensions: [] },
      [ours, theirs],
      NOW,
    )
    const verdict = await verifyTaskProof({ ...proof, checkpoint }, { keys: toKeys(ours) })
    assertFault(verdict, "other-log")
    assert.ok(verdict.reason.length < 400)
  })
})

describe("a runtime without Ed25519", () => {
  const rejected = (name: string) => async () =>
    Promise.reject(new DOMException(`no ${name}`, name))

  async function verify(): Promise<TaskProofVerdict> {
    const { prove, signer } = await createProofs()
    return verifyTaskProof(await prove("a"), { keys: toKeys(signer) })
  }

  it("rejects with a code, and so does a page that is not secure", async (t) => {
    const isTold = (error: unknown) => isApiError(error) && error.code === "no_ed25519"
    const importKey = t.mock.method(crypto.subtle, "importKey", rejected("NotSupportedError"))
    await assert.rejects(verify(), isTold)
    importKey.mock.restore()
    const host = t.mock.getter(globalThis, "crypto", () => ({}) as Crypto)
    await assert.rejects(verify(), isTold)
    host.mock.mockImplementation(() => undefined as unknown as Crypto)
    await assert.rejects(verify(), isTold)
    host.mock.restore()
    assert.ok((await verify()).isProven)
  })

  it("is not one that can't read a key: that key has signed nothing", async (t) => {
    t.mock.method(crypto.subtle, "importKey", rejected("DataError"))
    assertFault(await verify(), "forged")
  })
})
