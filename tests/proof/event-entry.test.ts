/** The entry of an event: the bytes that a stranger hashes to find its leaf. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { hashEventEntry, toEventEntry } from "@safelight/proof"
import { submitSample } from "@safelight/testkit"
import { tree } from "./sample-tree.ts"

const EVENT = {
  task: "01a20800-0000-7000-8000-000000000001",
  version: 3,
  hash: "ab".repeat(32),
}

describe("the entry of an event", () => {
  it("is what the README says, to the byte", () => {
    const text = `safelight:entry:1\n{"hash":"${"ab".repeat(32)}","task":"01a20800-0000-7000-8000-000000000001","version":3}`
    assert.equal(toEventEntry(EVENT), text)
    const leaf = createHash("sha256").update(`\0${text}`).digest()
    assert.deepEqual(Buffer.from(hashEventEntry(tree, EVENT)), leaf)
  })

  it("is taken of an event as it is stored, and holds nothing else of it", () => {
    const { append } = submitSample({ id: EVENT.task, submitted: { account: "acme" } })
    const [stored] = append.events
    assert.ok(stored !== undefined)
    const text = toEventEntry(stored)
    assert.deepEqual(Object.keys(JSON.parse(text.split("\n")[1] ?? "") as object), [
      "hash",
      "task",
      "version",
    ])
    assert.doesNotMatch(text, /acme/)
  })

  it("is another one for another task, version or hash, whatever a task is called", () => {
    const others = [
      EVENT,
      { ...EVENT, version: 4 },
      { ...EVENT, hash: "ac".repeat(32) },
      { ...EVENT, task: 'a","version":3}' },
      { ...EVENT, task: "a\n" },
      { ...EVENT, task: "é 💩" },
      { ...EVENT, task: "e\u0301 💩" },
    ]
    const texts = others.map((each) => Buffer.from(toEventEntry(each)).toString("hex"))
    const leaves = others.map((each) => Buffer.from(hashEventEntry(tree, each)).toString("hex"))
    const hashed = texts.map((hex) => Buffer.from(tree.hashLeaf(Buffer.from(hex, "hex"))))
    assert.deepEqual(
      leaves,
      hashed.map((hash) => hash.toString("hex")),
    )
    assert.equal(new Set(texts).size, others.length)
    const escaped = toEventEntry({ ...EVENT, task: 'a"\n' })
    assert.match(escaped, /"task":"a\\"\\n"/)
  })

  it("is not made of what names no event", () => {
    for (const other of [
      { hash: "AB".repeat(32) },
      { hash: "ab".repeat(31) },
      { hash: `${"ab".repeat(32)}\n` },
      { version: 0 },
      { version: 1.5 },
      { version: Number.NaN },
      { task: "\ud800" },
    ]) {
      assert.throws(() => toEventEntry({ ...EVENT, ...other }), TypeError)
    }
  })
})
