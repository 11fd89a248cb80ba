/**
 * A task's proof, verified by the client: what it says, by which keys, and that it is kept busy by nobody.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isApiError, verifyTaskProof, type TaskProofVerdict } from "@safelight/client"
import { isRefusal, openCheckpoint, parseVerifierKey, signCheckpoint } from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { copyProof, createProofs, TASKS } from "../proof/altered-proofs.ts"
import { createSigner, createWitness, demand, NOW, ORIGIN } from "../proof/signed-tasks.ts"
import { assertAgreed, assertFault, toKeys } from "./proof-verdicts.ts"

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
    // Nothing is read of a text that nobody trusted has signed.
    const foreign = { ...opened.checkpoint, origin: "other.example/log" }
    const unsigned = { ...proof, checkpoint: await signCheckpoint(foreign, [other], NOW) }
    await assertAgreed(unsigned, { signer })
    const keys = toKeys(signer)
    assertFault(await verifyTaskProof(unsigned, { keys }), "unsigned")
    assertFault(await verifyTaskProof(proof, { keys, task: "b" }), "other-task")
    // A new key beside the former one.
    const both = [...toKeys(createSigner()), ...keys]
    assert.ok((await verifyTaskProof(proof, { keys: both })).isProven)
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
    const { publicKey } = signer.key
    for (const name of ["", "a b", "a\u0085", "a\n", "\ud800", "a".repeat(301)]) {
      const named = toNamedKey(name, publicKey)
      assert.ok(isRefusal(parseVerifierKey(sha256, named)), named)
      await assert.rejects(verifyTaskProof(proof, { keys: [named] }), { name: "TypeError" }, named)
    }
    const named = toNamedKey("é/".repeat(150), publicKey)
    assertFault(await verifyTaskProof(proof, { keys: [named] }), "unsigned")
    const witnesses = [key]
    const message = /^witnesses\[0\]: expected the public key of a witness/
    await assert.rejects(verifyTaskProof(proof, { keys: [key], witnesses }), { message })
    const twins = createTwins().map((twin) => toNamedKey(ORIGIN, twin))
    const twinned = { name: "TypeError", message: /^keys\[1\]: another key has its name and id$/ }
    await assert.rejects(verifyTaskProof(proof, { keys: twins }), twinned)
    assert.ok((await verifyTaskProof(proof, { keys: [key, key] })).isProven)
    const many = Array.from({ length: 65 }, () => key)
    assertFault(await verifyTaskProof(proof, { log: { keys: many } }), "too-large")
    assert.ok((await verifyTaskProof(proof, { keys: many })).isProven)
  })
})

/** Two keys with one id, which has 32 bits: some 80,000 keys are tried. */
function createTwins(): readonly Buffer[] {
  const seen = new Map<string, Buffer>()
  for (let count = 0; ; count += 1) {
    const key = Buffer.alloc(32)
    key.writeUInt32BE(count)
    const [, id = ""] = toNamedKey(ORIGIN, key).split("+")
    const twin = seen.get(id)
    if (twin !== undefined) return [twin, key]
    seen.set(id, key)
  }
}

/** With the right id, whatever the name. */
function toNamedKey(name: string, publicKey: Uint8Array): string {
  const typed = Buffer.concat([Buffer.of(1), publicKey])
  const id = sha256(Buffer.concat([Buffer.from(`${name}\n`), typed])).subarray(0, 4)
  return `${name}+${Buffer.from(id).toString("hex")}+${typed.toString("base64")}`
}

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
    // As many hashes as fit into an answer, of which none is decoded.
    const decoded = t.mock.method(globalThis, "atob")
    const long = Array.from({ length: 300_000 }, () => `${"A".repeat(43)}=`)
    const events = [{ ...event, proof: long }, ...proof.events.slice(1)]
    const verdict = await verifyTaskProof({ ...proof, events }, { keys: toKeys(signer) })
    assertFault(verdict, "not-included", 1)
    assert.ok(decoded.mock.callCount() < 10, `${decoded.mock.callCount()}`)
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
    await assert.rejects(verify(), /on secure pages alone/)
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
