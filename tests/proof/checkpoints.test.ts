/** Checkpoints: what the log's key and its witnesses sign, and what of it is believed. */
import assert from "node:assert/strict"
import { createPublicKey, verify } from "node:crypto"
import { describe, it } from "node:test"
import {
  createVerifierKey,
  formatCheckpoint,
  isRefusal,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  signCheckpoint,
  type Checkpoint,
  type OpenCheckpointOptions,
} from "@safelight/proof"
import { sha256, verifyEd25519 } from "@safelight/proof/node"
import { createSigner, createWitness } from "./signed-tasks.ts"

const ORIGIN = "example.com/behind-the-sofa"
/** C2SP tlog-checkpoint. */
const TEXT = `${ORIGIN}\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n`
const NOW = 1_679_315_147_123

const log = createSigner(ORIGIN)
const witness = createWitness("witness.example.com/w1")
const checkpoint = read(TEXT)

function read(text: string): Checkpoint {
  const found = parseCheckpoint(text)
  assert.ok(!isRefusal(found), text)
  return found
}

const options: OpenCheckpointOptions = {
  origin: ORIGIN,
  logKeys: [log.key],
  witnessKeys: [witness.key],
  verify: verifyEd25519,
}

async function codeOf(source: string, other: Partial<OpenCheckpointOptions> = {}): Promise<string> {
  const opened = await openCheckpoint(source, { ...options, ...other })
  return isRefusal(opened) ? opened.code : "opened"
}

describe("the text of a checkpoint", () => {
  it("is read and written as the specification's example has it", () => {
    assert.equal(checkpoint.origin, ORIGIN)
    assert.equal(checkpoint.size, 20_852_163)
    assert.equal(Buffer.from(checkpoint.root).toString("hex").slice(0, 8), "0ac5186a")
    assert.equal(formatCheckpoint(checkpoint), TEXT)
    const extended = { ...checkpoint, size: 0, extensions: ["one", "an other"] }
    assert.deepEqual(read(formatCheckpoint(extended)), extended)
    const largest = { ...checkpoint, size: Number.MAX_SAFE_INTEGER }
    assert.deepEqual(read(formatCheckpoint(largest)), largest)
  })

  it("is refused if a line is missing, empty or no number or hash", () => {
    const [, size, root] = TEXT.split("\n")
    for (const text of [
      "",
      "\n",
      TEXT.slice(0, -1),
      `${ORIGIN}\n${size}\n`,
      `\n${size}\n${root}\n`,
      `${ORIGIN}\n\n${root}\n`,
      `${ORIGIN}\n${size}\n\n`,
      `${TEXT}\n`,
      `${TEXT}\nextension\n`,
      ...[
        "01",
        "-1",
        "+1",
        "1.0",
        "1e3",
        " 1",
        "0x1",
        "9007199254740992",
        "99999999999999999999",
        "١",
      ].map((each) => `${ORIGIN}\n${each}\n${root}\n`),
      ...[
        "AAAA",
        root?.slice(0, -1),
        `${root} `,
        root?.replace("2I=", "2J="),
        root?.replace("/", "_"),
      ].map((each) => `${ORIGIN}\n${size}\n${each}\n`),
    ]) {
      assert.ok(isRefusal(parseCheckpoint(text)), text)
    }
  })

  it("is not written of what no reader would take", () => {
    for (const other of [
      { origin: "" },
      { origin: "a\nb" },
      { size: -1 },
      { size: 1.5 },
      { root: new Uint8Array(31) },
      { extensions: [""] },
      { extensions: ["a\nb"] },
    ]) {
      assert.throws(() => formatCheckpoint({ ...checkpoint, ...other }), TypeError)
    }
  })
})

describe("a signed checkpoint", () => {
  it("says who signed it, and when a witness saw it", async () => {
    const source = await signCheckpoint(checkpoint, [log, witness], NOW)
    const opened = await openCheckpoint(source, options)
    assert.ok(!isRefusal(opened))
    assert.deepEqual(opened.checkpoint, checkpoint)
    assert.deepEqual(opened.logSignatures, [{ key: log.key, seenAt: null }])
    assert.deepEqual(opened.witnessSignatures, [{ key: witness.key, seenAt: 1_679_315_147_000 }])
  })

  it("has the cosignature that C2SP tlog-cosignature describes", async () => {
    const note = parseNote(await signCheckpoint(checkpoint, [log, witness], NOW))
    assert.ok(!isRefusal(note))
    const bytes = Buffer.from(note.signatures[1]?.signature ?? [])
    assert.equal(bytes.readBigUInt64BE(0), 1_679_315_147n)
    const message = `cosignature/v1\ntime 1679315147\n${TEXT}`
    const x = Buffer.from(witness.key.publicKey).toString("base64url")
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    assert.equal(verify(null, Buffer.from(message), key, bytes.subarray(8)), true)
  })

  it("is read without a witness that nobody trusts, or that is of a later type", async () => {
    const source = await signCheckpoint(checkpoint, [log, witness], NOW)
    const later = `${source}— pq.example.com/w2 ${Buffer.alloc(2_432, 7).toString("base64")}\n`
    const opened = await openCheckpoint(later, { ...options, witnessKeys: [] })
    assert.ok(!isRefusal(opened))
    assert.deepEqual(opened.witnessSignatures, [])
  })

  it("is refused without the log's own signature, or over another text", async () => {
    const source = await signCheckpoint(checkpoint, [log, witness], NOW)
    assert.equal(await codeOf(source), "opened")
    assert.equal(await codeOf(await signCheckpoint(checkpoint, [witness], NOW)), "unsigned")
    assert.equal(await codeOf(source, { logKeys: [createSigner(ORIGIN).key] }), "unsigned")
    assert.equal(await codeOf(source.replace("20852163", "20852164")), "forged")
    assert.equal(await codeOf(source.replace(ORIGIN, `${ORIGIN}2`)), "forged")
    assert.equal(await codeOf(source, { origin: "example.com/other" }), "other-log")
  })

  it("is refused if a cosignature is another moment's, or made as the other type", async () => {
    const source = await signCheckpoint(checkpoint, [log, witness], NOW)
    const note = parseNote(source)
    assert.ok(!isRefusal(note))
    const line = source.trimEnd().split("\n").at(-1) ?? ""
    const bytes = Buffer.from(line.split(" ")[2] ?? "", "base64")
    for (const altered of [
      Buffer.from(bytes).fill(bytes[11]! + 1, 11, 12),
      Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(8, 0xff), bytes.subarray(12)]),
      Buffer.concat([bytes.subarray(0, 4), bytes.subarray(12)]),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.alloc(1)]),
    ]) {
      const forged = source.replace(line, `— ${witness.key.name} ${altered.toString("base64")}`)
      assert.equal(await codeOf(forged), "forged")
    }
    // The same bytes as a note's key would be a signature over another message.
    const { name, publicKey } = witness.key
    const asNote = createVerifierKey(sha256, { name, publicKey, type: "note" })
    const plain = await signCheckpoint(checkpoint, [log, { ...witness, key: asNote }], NOW)
    const withId = plain.replace(/— witness\S+ \S+/, (found) => {
      const own = Buffer.from(found.split(" ")[2] ?? "", "base64").subarray(4)
      const id = Buffer.from(witness.key.id, "hex")
      return `— ${name} ${Buffer.concat([id, bytes.subarray(4, 12), own]).toString("base64")}`
    })
    assert.equal(await codeOf(withId), "forged")
  })

  it("may be signed with two keys of the log, while one replaces the other", async () => {
    const next = createSigner(ORIGIN)
    const source = await signCheckpoint(checkpoint, [log, next], NOW)
    for (const logKeys of [[log.key], [next.key], [next.key, log.key]]) {
      const opened = await openCheckpoint(source, { ...options, logKeys })
      assert.ok(!isRefusal(opened))
      assert.equal(opened.logSignatures.length, logKeys.length)
    }
  })

  it("is not made by a signer whose signature does not fit in a note", async () => {
    const broken = { ...log, sign: () => Buffer.alloc(0) }
    await assert.rejects(signCheckpoint(checkpoint, [broken], NOW), TypeError)
    const failure = new Error("the key is locked away")
    const locked = { ...log, sign: () => Promise.reject(failure) }
    await assert.rejects(signCheckpoint(checkpoint, [locked], NOW), failure)
  })
})

describe("Ed25519", () => {
  it("verifies nothing of another length, and no key that is no point", () => {
    const message = Buffer.from("a")
    for (const [publicKey, signature] of [
      [Buffer.alloc(31), Buffer.alloc(64)],
      [Buffer.alloc(32, 0xff), Buffer.alloc(64)],
      [Buffer.alloc(32, 2), Buffer.alloc(64, 1)],
      [Buffer.from(log.key.publicKey), Buffer.alloc(63)],
    ] as const) {
      assert.equal(verifyEd25519({ publicKey, message, signature }), false)
    }
  })
})
