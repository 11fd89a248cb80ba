/**
 * Signed notes: those that are published with C2SP signed-note and with Go's package `note` verify, and what is not
 * written as the specification says is refused.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createVerifierKey,
  formatNote,
  isRefusal,
  MOST_NOTE_BYTES,
  openNote,
  parseNote,
  parseVerifierKey,
  signNote,
  toVerifierText,
  type NoteSigner,
  type OpenedNote,
  type VerifierKey,
} from "@safelight/proof"
import { createSignerKey, openSignerKey, sha256, verifyEd25519 } from "@safelight/proof/node"
import * as fc from "fast-check"

/** C2SP signed-note. */
const C2SP_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
const C2SP_NOTE =
  "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"

/** golang.org/x/mod/sumdb/note. */
const PETER_SECRET =
  "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
const PETER_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
const ENOCH_KEY = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const PETER_LINE =
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
const ENOCH_LINE =
  "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"

const peter = readKey(PETER_KEY)
const enoch = readKey(ENOCH_KEY)

function readKey(text: string): VerifierKey {
  const key = parseVerifierKey(sha256, text)
  assert.ok(!isRefusal(key), text)
  return key
}

function readSigner(text: string): NoteSigner {
  const signer = openSignerKey(text)
  assert.ok(!isRefusal(signer))
  return signer
}

async function open(source: string | Uint8Array, ...keys: VerifierKey[]): Promise<OpenedNote> {
  const note = await openNote(source, { keys, verify: verifyEd25519 })
  assert.ok(!isRefusal(note), JSON.stringify(note))
  return note
}

async function refusalOf(source: string | Uint8Array, ...keys: VerifierKey[]): Promise<string> {
  const note = await openNote(source, { keys, verify: verifyEd25519 })
  assert.ok(isRefusal(note))
  return note.code
}

describe("a verifier key", () => {
  it("is read and written as it is published", () => {
    for (const text of [C2SP_KEY, PETER_KEY, ENOCH_KEY]) {
      assert.equal(toVerifierText(readKey(text)), text)
    }
    assert.deepEqual([peter.name, peter.id, peter.type], ["PeterNeumann", "c74f20a3", "note"])
  })

  it("is refused in part, with any character altered, and of another length or type", () => {
    for (let start = 0; start < PETER_KEY.length; start += 1) {
      for (let end = start + 1; end <= PETER_KEY.length; end += 1) {
        if (end - start === PETER_KEY.length) continue
        assert.ok(isRefusal(parseVerifierKey(sha256, PETER_KEY.slice(start, end))))
      }
      const next = String.fromCharCode(PETER_KEY.charCodeAt(start) + 1)
      const altered = `${PETER_KEY.slice(0, start)}${next}${PETER_KEY.slice(start + 1)}`
      assert.ok(isRefusal(parseVerifierKey(sha256, altered)), altered)
    }
    for (const text of [
      "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
      "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
      PETER_KEY.replace("c74f20a3", "C74F20A3"),
      `${PETER_KEY}\n`,
      ` ${PETER_KEY}`,
      "",
      "++",
    ]) {
      assert.ok(isRefusal(parseVerifierKey(sha256, text)), text)
    }
  })

  it("of a cosigner has another id than the same key for notes", () => {
    const { name, publicKey } = peter
    const cosigner = createVerifierKey(sha256, { name, publicKey, type: "cosignature" })
    assert.notEqual(cosigner.id, peter.id)
    assert.deepEqual(readKey(toVerifierText(cosigner)), cosigner)
  })

  it("has a name without spaces, plus and control characters, and 32 bytes", () => {
    const { publicKey } = peter
    for (const name of [
      "",
      "a b",
      "a+b",
      "a\u00a0b",
      "a\u2003b",
      "a\u0085b",
      "a\tb",
      "a\u0000b",
      "\ud800",
      "x".repeat(301),
    ]) {
      assert.throws(() => createVerifierKey(sha256, { name, publicKey, type: "note" }), TypeError)
    }
    const short = { name: "a", publicKey: publicKey.subarray(1), type: "note" } as const
    assert.throws(() => createVerifierKey(sha256, short), TypeError)
  })
})

describe("a private key", () => {
  it("is read as Go writes it, and has the public key that is published", () => {
    assert.equal(toVerifierText(readSigner(PETER_SECRET).key), PETER_KEY)
  })

  it("is made anew each time, and read back", () => {
    const [one, other] = [createSignerKey("example.com/log"), createSignerKey("example.com/log")]
    assert.notEqual(one, other)
    assert.equal(readSigner(one).key.name, "example.com/log")
    assert.throws(() => createSignerKey("a b"), TypeError)
  })

  it("is refused in part, and with any character altered", () => {
    for (let place = 0; place < PETER_SECRET.length; place += 1) {
      assert.ok(isRefusal(openSignerKey(PETER_SECRET.slice(0, place))))
      assert.ok(isRefusal(openSignerKey(PETER_SECRET.slice(place + 1))))
      const next = String.fromCharCode(PETER_SECRET.charCodeAt(place) + 1)
      const altered = `${PETER_SECRET.slice(0, place)}${next}${PETER_SECRET.slice(place + 1)}`
      assert.ok(isRefusal(openSignerKey(altered)), altered)
    }
  })
})

describe("a signed note", () => {
  it("that is published verifies, as a text and as bytes", async () => {
    for (const source of [C2SP_NOTE, Buffer.from(C2SP_NOTE)]) {
      const { signatures, text } = await open(source, readKey(C2SP_KEY))
      assert.equal(text, "This is an example message.\n")
      assert.deepEqual(signatures, [{ key: readKey(C2SP_KEY), seenAt: null }])
    }
  })

  it("is signed as Go signs it, in place of an older signature of the key", async () => {
    const signer = readSigner(PETER_SECRET)
    const note = await signNote({ text: TEXT, signatures: [] }, signer, 0)
    assert.equal(formatNote(note), `${TEXT}\n${PETER_LINE}`)
    const old = { name: "PeterNeumann", id: "c74f20a3", signature: Buffer.alloc(64) }
    const again = await signNote({ text: TEXT, signatures: [old] }, signer, 0)
    assert.equal(formatNote(again), `${TEXT}\n${PETER_LINE}`)
  })

  it("names the trusted keys that signed it, each once, and no other", async () => {
    const both = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`
    const names = ({ signatures }: OpenedNote): string[] => signatures.map(({ key }) => key.name)
    assert.deepEqual(names(await open(both, peter)), ["PeterNeumann"])
    assert.deepEqual(names(await open(both, enoch, peter)), ["PeterNeumann", "EnochRoot"])
    const twice = `${TEXT}\n${PETER_LINE}${PETER_LINE}${ENOCH_LINE}`
    assert.deepEqual(names(await open(twice, peter, peter)), ["PeterNeumann"])
    assert.equal(await refusalOf(both), "unsigned")
  })

  it("of a trusted name with another id is another key's, and ignored", async () => {
    const { name, publicKey } = enoch
    const namesake = createVerifierKey(sha256, { name: peter.name, publicKey, type: "note" })
    assert.equal(await refusalOf(`${TEXT}\n${PETER_LINE}`, namesake), "unsigned")
    assert.notEqual(name, namesake.name)
  })

  it("is refused as a whole if a trusted key did not make its signature", async () => {
    const forged = `${PETER_LINE.slice(0, 60)}ABCD${PETER_LINE.slice(60)}`
    assert.equal(await refusalOf(`${TEXT}\n${forged}`, peter), "forged")
    assert.equal(await refusalOf(`${TEXT}x\n\n${PETER_LINE}`, peter), "forged")
    assert.equal(await refusalOf(`${TEXT}\n${PETER_LINE}${forged}`, peter), "forged")
    assert.equal(await refusalOf(`${TEXT}\n${ENOCH_LINE}${forged}`, enoch, peter), "forged")
  })

  it("is not opened with two keys of one name and id", async () => {
    const other = { ...peter, publicKey: enoch.publicKey }
    await assert.rejects(open(`${TEXT}\n${PETER_LINE}`, peter, other), TypeError)
  })

  it("is refused if it is not written as the specification says", () => {
    for (const source of [
      "",
      "\n",
      "\n\n",
      TEXT,
      `${TEXT}\n`,
      `\n\n${PETER_LINE}`,
      `${TEXT}${PETER_LINE}`,
      `${TEXT.slice(0, -1)}\n${PETER_LINE}`,
      `${TEXT}\n${PETER_LINE.slice(0, -1)}`,
      `${TEXT}\n${PETER_LINE}\n`,
      `${TEXT}\n${PETER_LINE}Unexpected line.\n`,
      `\u0001${TEXT}\n${PETER_LINE}`,
      `\t${TEXT}\n${PETER_LINE}`,
      `${TEXT}\n${PETER_LINE}`.replaceAll("\n", "\r\n"),
      `${TEXT}\n${PETER_LINE}`.replace("—", "-"),
      `${TEXT}\n${PETER_LINE}`.replace("— ", "—"),
      `${TEXT}\n${PETER_LINE}`.replace("— ", "—  "),
      `${TEXT}\n${PETER_LINE}`.replace("Peter", "Peter "),
      `${TEXT}\n${PETER_LINE}`.replace("Peter", "Peter+"),
      `${TEXT}\n${PETER_LINE}`.replace("Peter", "Peter\u00a0"),
      `${TEXT}\n${PETER_LINE}`.replace("=\n", "\n"),
      `${TEXT}\n${PETER_LINE}`.replace("AM=\n", "AN=\n"),
      `${TEXT}\n${PETER_LINE}`.replace("=\n", "= \n"),
      `${TEXT}\n${PETER_LINE}`.replace("x08", "-08"),
      `${TEXT}\n— PeterNeumann x08gow==\n`,
      `${TEXT}\ud800\n\n${PETER_LINE}`,
      Buffer.from([0xff, ...Buffer.from(`${TEXT}\n${PETER_LINE}`)]),
    ]) {
      const note = parseNote(source)
      assert.ok(isRefusal(note), String(source))
      assert.equal(note.code, "malformed", String(source))
    }
  })

  it("keeps a byte order mark, which is part of what is signed", async () => {
    const marked = Buffer.from(`\ufeff${TEXT}\n${PETER_LINE}`)
    assert.equal(await refusalOf(marked, peter), "forged")
  })

  it("is refused if it is longer, or has more signatures, than is read", async () => {
    const lines = (count: number): string => `${TEXT}\n${PETER_LINE.repeat(count)}`
    assert.equal(await refusalOf(lines(65), peter), "too-large")
    await open(lines(64), peter)
    const filler = `${"x".repeat(MOST_NOTE_BYTES)}\n`
    assert.equal(await refusalOf(`${filler}\n${PETER_LINE}`, peter), "too-large")
  })

  it("is read and written without a change, and what is read of any text is what it says", () => {
    const text = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`
    const edits = fc.array(fc.tuple(fc.nat(text.length), fc.nat(2), fc.string({ maxLength: 2 })))
    fc.assert(
      fc.property(edits, (changes) => {
        let source = text
        for (const [at, removed, added] of changes) {
          source = `${source.slice(0, at)}${added}${source.slice(at + removed)}`
        }
        const note = parseNote(source)
        if (!isRefusal(note)) assert.equal(formatNote(note), source)
      }),
    )
  })

  it("can't be signed over a text that none can have", async () => {
    const signer = readSigner(PETER_SECRET)
    for (const text of ["", "abc", "a\r\n", "a\u0000\n", "\ud800\n"]) {
      await assert.rejects(signNote({ text, signatures: [] }, signer, 0), TypeError)
    }
  })
})
