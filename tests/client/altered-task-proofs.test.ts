/** Proofs that are altered, malformed, or signed by an operator who signs anything: the client judges them as `openTaskProof` does. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { verifyTaskProof } from "@safelight/client"
import type { TaskProof } from "@safelight/core"
import { hashEventEntry, signCheckpoint, toBase64, type NoteSigner } from "@safelight/proof"
import * as fc from "fast-check"
import { checkAsync } from "../core/support/property.ts"
import {
  copyProof,
  createAlterations,
  createProofs,
  TASKS,
  type ProofDocument,
} from "../proof/altered-proofs.ts"
import { proveByHand } from "../proof/prove-by-hand.ts"
import { sampleLeaf, tree } from "../proof/sample-tree.ts"
import { createSigner, NOW, ORIGIN } from "../proof/signed-tasks.ts"
import { assertAgreed, assertFault, toKeys } from "./proof-verdicts.ts"

const MEMBERS = ["task", "checkpoint", "events", "format", "version"] as const

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

  it("is judged as by whoever made it, with a wrong value in any place and without one", async () => {
    const log = await createProofs()
    const proof = copyProof(await log.prove("b"))
    const digest = "ab".repeat(32)
    const [none, huge] = [undefined, 2 ** 53]
    const values = [none, null, "", "\ud800", digest, digest.toUpperCase(), -1, 0.5, huge, [], {}]
    for (const value of [...values, [null], ["A"], true]) {
      await assertAgreed(value, log)
      for (const name of MEMBERS) await assertAgreed({ ...proof, [name]: value }, log)
      for (const name of EVENT_MEMBERS) {
        const events = proof.events.with(1, { ...proof.events[1], [name]: value })
        await assertAgreed({ ...proof, events }, log)
      }
    }
  })

  it("is judged as by whoever made it, whatever text the log's key has signed", async () => {
    const signer = createSigner()
    const proof = await proveByHand(signer, [1, 2, 3])
    const [text = "", root = ""] = /^.*\n3\n(.*)\n/.exec(proof.checkpoint) ?? []
    const zero = "A".repeat(43)
    const texts: Readonly<Record<string, readonly string[]>> = {
      proved: [text, `${text}extension\n`],
      malformed: [
        "",
        "\n",
        text.slice(0, -1),
        `${text}\n`,
        `${text}\nextension\n`,
        `${text}a\u001bb\n`,
        `${text}\t\n`,
        `\n3\n${root}\n`,
        ...["03", "-3", "3.0", "1e1", "", "9007199254740993", "12345678901234567"].map(
          (size) => `${ORIGIN}\n${size}\n${root}\n`,
        ),
        ...["", "AAAA", zero, `${zero}A`, `${zero.slice(1)}B=`, ` ${root}`].map(
          (other) => `${ORIGIN}\n3\n${other}\n`,
        ),
      ],
      "other-log": [text.replace("media", "nedia")],
      "not-included": [
        text.replace("\n3\n", "\n4\n"),
        text.replace("\n3\n", "\n0\n"),
        `${ORIGIN}\n3\n${zero}=\n`,
      ],
    }
    for (const [expected, each] of Object.entries(texts)) {
      for (const signed of each) {
        const document = { ...proof, checkpoint: await signByHand(signer, signed) }
        await assertAgreed(document, { signer })
        const verdict = await verifyTaskProof(document, { keys: toKeys(signer) })
        assert.equal(verdict.isProven ? "proved" : verdict.code, expected, JSON.stringify(signed))
      }
    }
  })

  it("is judged as by whoever made it, whatever tree the log's key has signed", async () => {
    const signer = createSigner()
    const given = await proveByHand(signer, [1])
    const [event] = given.events
    assert.ok(event !== undefined)
    const leaf = hashEventEntry(tree, { ...event, task: "t" })
    const [one, two] = [sampleLeaf(1), sampleLeaf(2)]
    const climb = (from: readonly Uint8Array[], beside: Uint8Array) =>
      from.flatMap((hash) => [tree.hashNode(hash, beside), tree.hashNode(beside, hash)])
    const parents = climb([leaf], one)
    const proven: string[] = []
    for (const root of [leaf, ...parents, ...climb(parents, two)]) {
      for (const size of [0, 1, 2, 3, 4, 5]) {
        const checkpoint = { origin: ORIGIN, size, root, extensions: [] }
        const note = await signCheckpoint(checkpoint, [signer], NOW)
        for (const index of [-1, 0, 1, 2, 3, 4, 5]) {
          for (const siblings of [[], [one], [one, two]]) {
            const proof = siblings.map(toBase64)
            const events = [{ ...event, index, proof }]
            const document = { ...given, checkpoint: note, events }
            await assertAgreed(document, { signer })
            const { isProven } = await verifyTaskProof(document, { keys: toKeys(signer) })
            if (isProven) proven.push(`${index} of ${size} by ${proof.length}`)
          }
        }
      }
    }
    const expected = ["0 of 1 by 0", "0 of 2 by 1", "1 of 2 by 1", "2 of 3 by 1", "4 of 5 by 1"]
    for (const index of [0, 1]) expected.push(`${index} of 3 by 2`)
    for (const index of [0, 1, 2, 3]) expected.push(`${index} of 4 by 2`)
    assert.deepEqual(proven.toSorted(), expected.toSorted())
  })

  it("is judged as by whoever made it, whatever its signatures look like", async () => {
    const log = await createProofs()
    const proof = await log.prove("a")
    const [line = ""] = /— .*\n$/.exec(proof.checkpoint) ?? []
    const [name = "", encoded = ""] = line.slice(2, -1).split(" ")
    const lines = [
      line,
      `${line}${line}`,
      "",
      "\n",
      line.slice(0, -1),
      `${line}x\n`,
      line.replace("— ", "- "),
      line.replace(name, ""),
      line.replace(name, "a+b"),
      line.replace(name, "\u0085"),
      line.replace(name, "a".repeat(301)),
      line.replace("\n", " \n"),
      line.replace("\n", " x\n"),
      line.replace(encoded, encoded.slice(4)),
      line.replace(encoded, `${encoded.slice(0, -4)}AAAA`),
      line.replace(encoded, `${encoded}AAAA`),
      line.replace(encoded, "AAAAAA=="),
      line.replace(encoded, "AAAAAAA="),
      `${line}— other.example/log AAAAAAA=\n`,
      `— other.example/log AAAAAAA=\n${line}`,
      `${line}\u0000\n`,
    ]
    const proved: string[] = []
    for (const each of lines) {
      const checkpoint = proof.checkpoint.replace(line, () => each)
      const document = { ...proof, checkpoint }
      await assertAgreed(document, log)
      const { isProven } = await verifyTaskProof(document, { keys: toKeys(log.signer) })
      if (isProven) proved.push(each)
    }
    const other = "— other.example/log AAAAAAA=\n"
    assert.deepEqual(proved, [line, `${line}${line}`, `${line}${other}`, `${other}${line}`])
  })

  it("is judged as by whoever made it, in trees of every size and with any JSON in any place", async (t) => {
    const sizes = [1, 2, 3, 4, 5, 7]
    const logs = await Promise.all(
      sizes.map(async (size) => createProofs(TASKS.concat("f", "g").slice(0, size))),
    )
    const member = fc.constantFrom(...MEMBERS)
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

/** As no signer of ours would: it signs any text. */
async function signByHand({ key, sign }: NoteSigner, text: string): Promise<string> {
  const signature = await sign(Buffer.from(text))
  const line = Buffer.concat([Buffer.from(key.id, "hex"), signature]).toString("base64")
  return `${text}\n— ${key.name} ${line}\n`
}

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
