/**
 * The arithmetic of charges against an exact reference: rational numbers of BigInts, rounded up
 * once at the end (design §8; specification §8, billing rules).
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  billedInputMs,
  chargeOf,
  chargeUsage,
  currentPrices,
  DEFAULT_PRICES,
  findPrice,
  isNamedBy,
  listRates,
  sealPrices,
  toMainKind,
  toPriceVersion,
  imageEdit,
  MAX_CHARGE_MICROS,
  MODELS,
  referenceToVideo,
  type ModelPrice,
  type PriceBook,
  type Usage,
} from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"
import { sha256 } from "./support/sha256.ts"

interface Rational {
  readonly over: bigint
  readonly under: bigint
}

const add = (one: Rational, other: Rational): Rational => ({
  over: one.over * other.under + other.over * one.under,
  under: one.under * other.under,
})
const multiply = (one: Rational, other: Rational): Rational => ({
  over: one.over * other.over,
  under: one.under * other.under,
})
const isLess = (one: Rational, other: Rational): boolean =>
  one.over * other.under < other.over * one.under
const ceiling = ({ over, under }: Rational): bigint => (over + under - 1n) / under
const seconds = (ms: number): Rational => ({ over: BigInt(ms), under: 1000n })

/** The rules as the specification words them, in seconds. */
function referenceMicros(usage: Usage, perSecondMicros: number): bigint {
  const four = seconds(4_000)
  const thirty = seconds(30_000)
  const [main, ...others] = usage.inputVideosMs.map(seconds)
  let input = seconds(0)
  if (main !== undefined) {
    input = others.reduce(add, isLess(main, four) ? four : main)
    if (isLess(thirty, input)) input = thirty
  }
  const billed = add(seconds(usage.outputVideoMs), input)
  return ceiling(multiply(billed, { over: BigInt(perSecondMicros), under: 1n }))
}

const durationMs = fc.oneof(
  fc.nat({ max: 40_000 }),
  fc.constantFrom(0, 1, 3_999, 4_000, 4_001, 29_999, 30_000, 30_001),
)
const usage = fc.record({
  images: fc.nat({ max: 100 }),
  inputVideosMs: fc.array(durationMs, { maxLength: 10 }),
  outputVideoMs: durationMs,
})
const rate = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 7, 333, 999, 1_000, 1_001, 100_000))

const charge = (used: Usage, price: ModelPrice): number => chargeUsage(used, price, {})

const video = (outputVideoMs: number, ...inputVideosMs: number[]): Usage => ({
  images: 0,
  inputVideosMs,
  outputVideoMs,
})

describe("a video's charge", () => {
  it("is the exact amount, rounded up once", (t) => {
    const property = fc.property(usage, rate, (used, perVideoSecondMicros) => {
      const micros = charge(used, { perVideoSecondMicros })
      assert.equal(BigInt(micros), referenceMicros(used, perVideoSecondMicros))
    })
    check(t, property, 3_000)
  })

  it("never falls with more output, more input or a higher rate", (t) => {
    const property = fc.property(usage, rate, fc.nat({ max: 5_000 }), (used, micros, more) => {
      const price = { perVideoSecondMicros: micros }
      const base = charge(used, price)
      assert.ok(charge({ ...used, outputVideoMs: used.outputVideoMs + more }, price) >= base)
      assert.ok(charge({ ...used, inputVideosMs: [...used.inputVideosMs, more] }, price) >= base)
      assert.ok(charge(used, { perVideoSecondMicros: micros + more }) >= base)
    })
    check(t, property)
  })

  const inputs: readonly (readonly [inputs: readonly number[], billedMs: number])[] = [
    [[], 0],
    [[0], 4_000],
    [[3_999], 4_000],
    [[4_000], 4_000],
    [[4_001], 4_001],
    [[3_000, 3_000], 7_000],
    [[5_000, 1], 5_001],
    [[29_999], 29_999],
    [[30_000], 30_000],
    [[30_001], 30_000],
    [[1_000, 26_000], 30_000],
    [[1_000, 26_001], 30_000],
    [[20_000, 9_999], 29_999],
    [[20_000, 20_000, 20_000], 30_000],
  ]
  for (const [inputVideosMs, billedMs] of inputs) {
    it(`counts inputs of ${inputVideosMs.join(" + ") || "no"} ms as ${billedMs} ms`, () => {
      assert.equal(billedInputMs(inputVideosMs), billedMs)
      const price = { perVideoSecondMicros: 1_000 }
      assert.equal(charge(video(2_500, ...inputVideosMs), price), 2_500 + billedMs)
    })
  }

  it("rounds up a fraction of a micro-unit, and only that", () => {
    assert.equal(charge(video(1), { perVideoSecondMicros: 1 }), 1)
    assert.equal(charge(video(1_000), { perVideoSecondMicros: 1 }), 1)
    assert.equal(charge(video(1_001), { perVideoSecondMicros: 1 }), 2)
    assert.equal(charge(video(0), { perVideoSecondMicros: 1 }), 0)
    // Rounding each part by itself would make 2.
    assert.equal(charge(video(400, 4_000), { perVideoSecondMicros: 0 }), 0)
    assert.equal(charge(video(500, 4_500), { perVideoSecondMicros: 1 }), 5)
  })
})

describe("an image task's charge", () => {
  it("is the number of images times the price", (t) => {
    const property = fc.property(usage, rate, (used, perImageMicros) => {
      const micros = charge(used, { perImageMicros })
      assert.equal(BigInt(micros), BigInt(used.images) * BigInt(perImageMicros))
    })
    check(t, property)
  })
})

const at = (priceVersion: string) => ({ parameters: {}, priceVersion })

describe("a price", () => {
  it("that lacks a rate counts nothing of what it would count", () => {
    assert.equal(charge({ ...video(5_000), images: 3 }, { perImageMicros: 1 }), 3)
    assert.equal(charge({ ...video(5_000), images: 3 }, { perVideoSecondMicros: 1 }), 5)
    assert.deepEqual(listRates(imageEdit, { perVideoSecondMicros: 1, perAudioSecondMicros: 1 }), [])
    assert.deepEqual(listRates(referenceToVideo, { perImageMicros: 1 }), [])
    const price = { perImageMicros: 0, perRequestMicros: 1, perVideoSecondMicros: 1 }
    assert.deepEqual(listRates(imageEdit, price), ["perImageMicros", "perRequestMicros"])
    assert.deepEqual(listRates(referenceToVideo, price), [
      "perVideoSecondMicros",
      "perRequestMicros",
    ])
  })

  it("makes no charge above what a task may cost at most", () => {
    const most = { perImageMicros: MAX_CHARGE_MICROS }
    assert.equal(charge({ ...video(0), images: 1 }, most), MAX_CHARGE_MICROS)
    assert.equal(charge({ ...video(0), images: 2 }, most), MAX_CHARGE_MICROS)
  })

  it("is found by version and model, and new tasks take the last table", () => {
    const book: PriceBook = [
      { version: "1", models: { [imageEdit.id]: { perImageMicros: 1 } } },
      { version: "2", models: { [imageEdit.id]: { perImageMicros: 2 } } },
    ]
    assert.equal(currentPrices(book).version, "2")
    assert.deepEqual(findPrice(book, "1", imageEdit.id), { perImageMicros: 1 })
    assert.equal(findPrice(book, "3", imageEdit.id), undefined)
    assert.equal(findPrice(book, "1", referenceToVideo.id), undefined)
    assert.equal(chargeOf(imageEdit, book, at("1"), { ...video(0), images: 3 }), 3)
    assert.throws(() => chargeOf(imageEdit, book, at("3"), video(0)), RangeError)
    assert.throws(() => chargeOf(referenceToVideo, book, at("1"), video(0)), RangeError)
  })
})

describe("a sealed price", () => {
  const book = sealPrices(
    [
      { version: "1", models: { [imageEdit.id]: { perImageMicros: 1 } } },
      { version: "1#x", models: { [imageEdit.id]: { perImageMicros: 2 } } },
    ],
    sha256,
  )

  it("ends a task's version with eight digits, by which an edited table is another one", () => {
    const version = toPriceVersion(currentPrices(book), imageEdit.id)
    assert.match(version, /^1#x#[0-9a-f]{8}$/)
    assert.deepEqual(findPrice(book, version, imageEdit.id), { perImageMicros: 2 })
    const edited = { version: "1#x", models: { [imageEdit.id]: { perImageMicros: 3 } } }
    assert.equal(findPrice(sealPrices([edited], sha256), version, imageEdit.id), undefined)
    assert.deepEqual(
      book.map((table) => isNamedBy(table, version)),
      [false, true],
    )
  })

  it("is found by a bare name too, as earlier releases wrote it, and a model of no price by none", () => {
    assert.deepEqual(findPrice(book, "1", imageEdit.id), { perImageMicros: 1 })
    assert.equal(findPrice(book, "1", "toString"), undefined)
    assert.equal(toPriceVersion(book[0], "toString"), "1")
  })
})

describe("the reservation", () => {
  it("covers whatever a task of these parameters may use up", (t) => {
    const url = "https://media.example/one"
    const property = fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.option(fc.integer({ min: 4, max: 30 }), { nil: undefined }),
      fc.array(durationMs, { maxLength: 10 }),
      (count, duration, inputVideosMs) => {
        for (const model of MODELS) {
          const parameters = { count, duration, video_urls: inputVideosMs.map(() => url) }
          const outputVideoMs = (duration ?? 30) * 1000
          const used =
            toMainKind(model) === "image"
              ? { ...video(0), images: model === imageEdit ? count : 1 }
              : video(outputVideoMs, ...inputVideosMs)
          const version = currentPrices(DEFAULT_PRICES).version
          const reserved = chargeOf(model, DEFAULT_PRICES, at(version), model.estimate(parameters))
          assert.ok(chargeOf(model, DEFAULT_PRICES, at(version), used) <= reserved, model.id)
        }
      },
    )
    check(t, property)
  })
})
