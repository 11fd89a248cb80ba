/** Prices that are kept beside the log: found by the version that tasks keep, and proved by its digits. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  currentPrices,
  findPrice,
  parsePriceDefinition,
  sealPrices,
  toPriceDefinitions,
  toPriceVersion,
  withKeptPrices,
  type PriceBook,
} from "@safelight/core"
import { sha256 } from "@safelight/engine"

const OLD: PriceBook = [
  { version: "1", models: { "a/one": { perImageMicros: 5 }, "a/two": { perImageMicros: 5 } } },
  { version: "2", models: { "a/one": { perImageMicros: 7 } } },
]
const NEW: PriceBook = [
  { version: "1", models: { "a/two": { perImageMicros: 5 } } },
  { version: "3", models: { "a/one": { perImageMicros: 9 }, "a/two": { perImageMicros: 6 } } },
]

const KEPT = toPriceDefinitions(OLD, sha256)

function versionOf(book: PriceBook, table: number, model: string): string {
  const found = sealPrices(book, sha256)[table]
  return found === undefined ? assert.fail() : toPriceVersion(found, model)
}

describe("kept prices", () => {
  it("are found under their versions once the configuration has lost them, and price nothing new", () => {
    const book = sealPrices(withKeptPrices(NEW, KEPT, sha256), sha256)
    for (const [table, model, micros] of [
      [0, "a/one", 5],
      [0, "a/two", 5],
      [1, "a/one", 7],
    ] as const) {
      const price = findPrice(book, versionOf(OLD, table, model), model)
      assert.deepEqual(price, { perImageMicros: micros })
    }
    assert.deepEqual(currentPrices(book).version, "3")
    assert.equal(toPriceVersion(currentPrices(book), "a/one"), versionOf(NEW, 1, "a/one"))
    assert.equal(findPrice(book, versionOf(OLD, 1, "a/one"), "a/two"), undefined)
  })

  it("add nothing to a book that has them", () => {
    assert.deepEqual(withKeptPrices(OLD, KEPT, sha256), OLD)
    assert.deepEqual(withKeptPrices(NEW, [], sha256), NEW)
  })

  it("are the same whenever they are made, each once", () => {
    assert.deepEqual(toPriceDefinitions(OLD, sha256), KEPT)
    assert.equal(new Set(KEPT.map(({ digest }) => digest)).size, 3)
    for (const { body, digest } of KEPT) assert.equal(sha256([body]), digest)
  })

  it("count only if they are what their versions name", () => {
    const body = KEPT[0]?.body ?? ""
    assert.ok(parsePriceDefinition(body, sha256))
    for (const wrong of [
      body.replace(":5", ":6"),
      "",
      "null",
      "[]",
      "{}",
      body.replace('"1#', '"1'),
    ]) {
      assert.equal(parsePriceDefinition(wrong, sha256), undefined, wrong)
      const made = withKeptPrices(NEW, [{ kind: "price", digest: "", body: wrong }], sha256)
      assert.deepEqual(made, NEW)
    }
    assert.equal(
      parsePriceDefinition('{"model":"a","price":[],"priceVersion":"#"}', sha256),
      undefined,
    )
  })
})
