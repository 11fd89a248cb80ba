/** Proofs under a checkpoint that witnesses saw: who of them counts, and when they saw it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { verifyTaskProof, type TaskProofVerdict } from "@safelight/client"
import { openCheckpoint, signCheckpoint, type NoteSigner } from "@safelight/proof"
import { verifyEd25519 } from "@safelight/proof/node"
import { createProofs, open } from "../proof/altered-proofs.ts"
import { createWitness, demand, NOW, ORIGIN } from "../proof/signed-tasks.ts"
import { assertFault, toKeys } from "./proof-verdicts.ts"

const LATER = NOW + 60_000

async function createSeen() {
  const { prove, signer } = await createProofs()
  const proof = await prove("a")
  const { checkpoint } = demand(await open(proof, signer.key))
  const witnesses = [createWitness("w1.example"), createWitness("w2.example")] as const
  const keys = toKeys(signer)

  /** The line that says that it saw the checkpoint. */
  async function see(witness: NoteSigner, now: number): Promise<string> {
    const note = await signCheckpoint(checkpoint, [witness], now)
    return note.slice(note.indexOf("\n\n") + 2)
  }

  return {
    witnesses,
    see,
    text: proof.checkpoint.slice(0, proof.checkpoint.indexOf("\n\n") + 1),
    /** With these lines behind the log's own. */
    verify: (lines: string, trusted: readonly NoteSigner[] = witnesses) =>
      verifyTaskProof(
        { ...proof, checkpoint: `${proof.checkpoint}${lines}` },
        { keys, witnesses: toKeys(...trusted) },
      ),
    /** With these lines alone. */
    verifyAlone: (lines: string) =>
      verifyTaskProof(
        { ...proof, checkpoint: proof.checkpoint.replace(/— .*\n$/, () => lines) },
        { keys, witnesses: toKeys(...witnesses) },
      ),
    /** As the package says that makes notes. */
    open: (lines: string) =>
      openCheckpoint(`${proof.checkpoint}${lines}`, {
        origin: ORIGIN,
        logKeys: [signer.key],
        witnessKeys: witnesses.map(({ key }) => key),
        verify: verifyEd25519,
      }),
  }
}

function assertSeen(verdict: TaskProofVerdict, expected: number | null): void {
  assert.ok(verdict.isProven, JSON.stringify(verdict))
  assert.equal(verdict.checkpoint.seenAt, expected)
  assert.equal(verdict.checkpoint.keys.length, 1)
}

describe("a checkpoint that witnesses saw", () => {
  it("tells when the first of those saw it who are trusted", async () => {
    const { see, verify, witnesses } = await createSeen()
    const [one, two] = witnesses
    const lines = `${await see(one, LATER)}${await see(two, NOW)}`
    assertSeen(await verify(lines), NOW)
    assertSeen(await verify(lines, [one]), LATER)
    assertSeen(await verify(lines, []), null)
    assertSeen(await verify(""), null)
  })

  it("has the moment of a witness's first line, if that has two", async () => {
    const { open: openLines, see, verify, witnesses } = await createSeen()
    const [one] = witnesses
    const lines = `${await see(one, LATER)}${await see(one, NOW)}`
    const [first] = demand(await openLines(lines)).witnessSignatures
    assert.equal(first?.seenAt, LATER)
    assertSeen(await verify(lines), LATER)
  })

  it("is not the log's own by the word of a witness", async () => {
    const { see, verifyAlone, witnesses } = await createSeen()
    assertFault(await verifyAlone(await see(witnesses[0], NOW)), "unsigned")
  })

  it("is refused if a moment was moved, or a signature is of another length", async () => {
    const { open: openLines, see, verify, witnesses } = await createSeen()
    const line = await see(witnesses[0], NOW)
    const [, , encoded = ""] = line.trimEnd().split(" ")
    const whole = Buffer.from(encoded, "base64")
    // Its last second is in the twelfth byte, behind the key's id.
    const moved = Buffer.from(whole)
    moved[11] = (moved[11] ?? 0) ^ 1
    const cut = [5, 11, 12, 13, 68, 75].map((length) => whole.subarray(0, length))
    for (const bytes of [moved, ...cut, Buffer.concat([whole, Buffer.of(0)])]) {
      const altered = line.replace(encoded, bytes.toString("base64"))
      const refusal = await openLines(altered)
      assert.equal("code" in refusal && refusal.code, "forged")
      assertFault(await verify(altered), "forged")
      assertSeen(await verify(altered, []), null)
    }
  })

  it("is refused if a witness saw it at a moment that no date has", async () => {
    const { open: openLines, text, verify, witnesses } = await createSeen()
    const [{ key, sign }] = witnesses
    for (const seconds of [2n ** 53n, 2n ** 64n - 1n]) {
      const time = Buffer.alloc(8)
      time.writeBigUInt64BE(seconds)
      const signature = await sign(Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`))
      const bytes = Buffer.concat([Buffer.from(key.id, "hex"), time, signature])
      const line = `— ${key.name} ${bytes.toString("base64")}\n`
      const refusal = await openLines(line)
      assert.equal("code" in refusal && refusal.code, "forged")
      assertFault(await verify(line), "forged")
    }
  })
})
