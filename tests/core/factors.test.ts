/**
 * Prices by what is asked: every rate and every factor against rational numbers of BigInts, and the arithmetic of
 * earlier releases, copied here, as the measure of prices without factors.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  chargeUsage,
  coversFactors,
  MAX_CHARGE_MICROS,
  toBilledCost,
  toQuoteLines,
  imageEdit,
  referenceToVideo,
  type LoggedParameters,
  type ModelPrice,
  type QuoteLine,
  type Usage,
} from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

/** As earlier releases had it, word for word. */
const before = {
  images: (usage: Usage, perImageMicros: number): number =>
    capped(BigInt(usage.images) * BigInt(perImageMicros)),
  video(usage: Usage, perVideoSecondMicros: number): number {
    const billedMs = BigInt(usage.outputVideoMs + before.inputMs(usage.inputVideosMs))
    return capped((billedMs * BigInt(perVideoSecondMicros) + 999n) / 1000n)
  },
  inputMs([main, ...others]: readonly number[]): number {
    if (main === undefined) return 0
    const totalMs = others.reduce((total, each) => total + each, Math.max(main, 4_000))
    return Math.min(totalMs, 30_000)
  },
}

function capped(amount: bigint): number {
  return amount > 10_000_000_000_000n ? 10_000_000_000_000 : Number(amount)
}

interface Rational {
  readonly over: bigint
  readonly under: bigint
}

const rational = (over: bigint | number, under: bigint | number = 1): Rational => ({
  over: BigInt(over),
  under: BigInt(under),
})
const add = (one: Rational, other: Rational): Rational => ({
  over: one.over * other.under + other.over * one.under,
  under: one.under * other.under,
})
const multiply = (one: Rational, other: Rational): Rational => ({
  over: one.over * other.over,
  under: one.under * other.under,
})
const roundUp = ({ over, under }: Rational): number => capped((over + under - 1n) / under)

/** A decimal as a fraction by its digits. */
function parse(decimal: string): Rational {
  const [whole = "", places = ""] = decimal.split(".")
  return rational(BigInt(whole + places), 10n ** BigInt(places.length))
}

/** The exact amount, as the configuration's documents word it. */
function toReference(usage: Usage, price: ModelPrice, logged: LoggedParameters): Rational {
  const inputMs = before.inputMs(usage.inputVideosMs)
  const terms: readonly (readonly [number | undefined, Rational])[] = [
    [price.perImageMicros, rational(usage.images)],
    [price.perVideoSecondMicros, rational(usage.outputVideoMs + inputMs, 1_000)],
    [price.perAudioSecondMicros, rational(usage.outputAudioMs ?? 0, 1_000)],
    [price.perRequestMicros, rational(1)],
    [price.perThousandCharactersMicros, rational(usage.characters ?? 0, 1_000)],
    [price.perThousandTokensMicros, rational(usage.tokens ?? 0, 1_000)],
  ]
  const sum = terms
    .map(([micros = 0, counted]) => multiply(rational(micros), counted))
    .reduce(add, rational(0))
  return Object.entries(price.factors ?? {})
    .map(([name, values]) => values[String(logged[name])] ?? values["*"] ?? "")
    .map(parse)
    .reduce(multiply, sum)
}

const amount = fc.oneof(fc.nat({ max: 50_000 }), fc.constantFrom(0, 1, 999, 1_000, 1_001, 10 ** 12))
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    images: amount,
    inputVideosMs: fc.array(fc.nat({ max: 40_000 }), { maxLength: 4 }),
    outputVideoMs: amount,
    outputAudioMs: amount,
    characters: amount,
    tokens: amount,
  },
  { requiredKeys: ["images", "inputVideosMs", "outputVideoMs"] },
)
const rate = fc.oneof(fc.nat(), fc.constantFrom(0, 1, 7, 333, 999, 1_001, 10 ** 12))
const rates: fc.Arbitrary<ModelPrice> = fc.record(
  {
    perImageMicros: rate,
    perVideoSecondMicros: rate,
    perAudioSecondMicros: rate,
    perRequestMicros: rate,
    perThousandCharactersMicros: rate,
    perThousandTokensMicros: rate,
  },
  { requiredKeys: [] },
)
const decimal = fc.oneof(
  fc.constantFrom("0", "1", "2.5", "0.5", "16", "0.000001", "0.333333", "9999.999999", "1.10"),
  fc
    .tuple(fc.nat({ max: 9_999 }), fc.stringMatching(/^[0-9]{1,6}$/))
    .map(([whole, places]) => `${whole}.${places}`),
)
const logged = { size: "4k", count: 3, audio: true }
const factors = fc.record(
  {
    size: fc.record({ "4k": decimal, "*": decimal }),
    count: fc.record({ "3": decimal, "4": decimal }),
    audio: fc.record({ true: decimal, false: decimal }),
    seed: fc.record({ "*": decimal }),
  },
  { requiredKeys: [] },
)

describe("a charge by rates and factors", () => {
  it("is the exact amount, rounded up once, and at most what a task may cost", (t) => {
    const property = fc.property(usages, rates, factors, (usage, price, by) => {
      const charged = chargeUsage(usage, { ...price, factors: by }, logged)
      assert.equal(charged, roundUp(toReference(usage, { ...price, factors: by }, logged)))
      assert.ok(charged <= MAX_CHARGE_MICROS)
    })
    check(t, property, 3_000)
  })

  it("without factors is what earlier releases charged for pictures and films", (t) => {
    const property = fc.property(usages, rate, (usage, micros) => {
      const charge = (price: ModelPrice): number => chargeUsage(usage, price, logged)
      assert.equal(charge({ perImageMicros: micros }), before.images(usage, micros))
      assert.equal(charge({ perVideoSecondMicros: micros }), before.video(usage, micros))
      assert.equal(
        charge({ perVideoSecondMicros: micros, factors: {} }),
        before.video(usage, micros),
      )
    })
    check(t, property, 2_000)
  })

  it("never falls as a quantity, a rate or a factor rises", (t) => {
    const property = fc.property(usages, rates, factors, amount, (usage, price, by, more) => {
      const charge = (used: Usage, each: ModelPrice): number => chargeUsage(used, each, logged)
      const whole = { ...price, factors: by }
      const base = charge(usage, whole)
      for (const name of [
        "images",
        "outputVideoMs",
        "outputAudioMs",
        "characters",
        "tokens",
      ] as const) {
        const count = Math.min((usage[name] ?? 0) + more, 10 ** 12)
        assert.ok(charge({ ...usage, [name]: count }, whole) >= base, name)
      }
      for (const name of Object.keys(price) as (keyof typeof price)[]) {
        assert.ok(charge(usage, { ...whole, [name]: Number(price[name]) + more }) >= base, name)
      }
      const dearer = { ...by, style: { "*": "1.000001" } }
      assert.ok(charge(usage, { ...price, factors: dearer }) >= base)
    })
    check(t, property)
  })

  it("is the same in whatever order its factors stand", (t) => {
    const property = fc.property(usages, rates, factors, (usage, price, by) => {
      const turned = Object.fromEntries(Object.entries(by).toReversed())
      const charge = (each: ModelPrice["factors"]): number =>
        chargeUsage(usage, { ...price, ...(each && { factors: each }) }, logged)
      assert.equal(charge(turned), charge(by))
    })
    check(t, property)
  })

  it("is rounded after the factors, and not before", () => {
    const film = { images: 0, inputVideosMs: [], outputVideoMs: 1 }
    const price = { perVideoSecondMicros: 1, factors: { a: { "*": "1000" } } }
    // Rounded first, it would be 1,000.
    assert.equal(chargeUsage(film, price, {}), 1)
    const both = { perVideoSecondMicros: 1, factors: { a: { "*": "500" }, b: { "*": "0.5" } } }
    assert.equal(chargeUsage(film, both, {}), 1)
    assert.equal(chargeUsage({ ...film, outputVideoMs: 4 }, both, {}), 1)
    assert.equal(chargeUsage({ ...film, outputVideoMs: 5 }, both, {}), 2)
  })
})

describe("a factor", () => {
  const one = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
  const charge = (values: Readonly<Record<string, string>>, parameters: LoggedParameters): number =>
    chargeUsage(one, { perImageMicros: 100, factors: { quality: values } }, parameters)

  it("is that of the value, of any value, or of a parameter that was left out", () => {
    const values = { low: "1", high: "16", "*": "4" }
    assert.equal(charge(values, { quality: "high" }), 1_600)
    assert.equal(charge(values, { quality: "other" }), 400)
    assert.equal(charge(values, {}), 400)
    assert.equal(charge({ "1": "3" }, { quality: 1 }), 300)
    assert.equal(charge({ false: "3" }, { quality: false }), 300)
  })

  it("that a value lacks leaves it without a price, also where every object has such a member", () => {
    for (const parameters of [{ quality: "high" }, { quality: "constructor" }, {}]) {
      assert.throws(() => charge({ low: "1" }, parameters), RangeError)
      assert.equal(coversFactors({ quality: { low: "1" } }, parameters), false)
    }
    assert.throws(() => charge({ low: "1e3" }, { quality: "low" }), RangeError)
  })
})

/** Quantities of seconds and of thousands are told in thousandths. */
function sumLines(lines: readonly QuoteLine[]): Rational {
  return lines
    .map(({ factors: applied = [], item, quantity, unitPriceMicros }) => {
      const per = item === "image" || item === "request" ? 1 : 1_000
      const cost = multiply(rational(quantity, per), rational(unitPriceMicros))
      return applied.map(({ factor }) => parse(factor)).reduce(multiply, cost)
    })
    .reduce(add, rational(0))
}

describe("the lines of a quote", () => {
  it("add up to the cost, rounded up once", (t) => {
    const property = fc.property(usages, rates, factors, (usage, price, by) => {
      const whole = { ...price, factors: by }
      const cost = chargeUsage(usage, whole, logged)
      const lines = toQuoteLines({ usage, price: whole, parameters: logged }, cost)
      assert.equal(roundUp(sumLines(lines)), cost)
      const none = toQuoteLines({ usage, price: whole, parameters: logged }, cost + 1)
      assert.deepEqual(none, [])
    })
    check(t, property)
  })

  it("name the factors that apply, and the value that each is for", () => {
    const price = {
      perImageMicros: 100,
      perRequestMicros: 7,
      factors: { size: { "4k": "2.5", "*": "1" }, audio: { "*": "2" } },
    }
    const usage = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
    const parameters = { size: "4k" }
    const cost = chargeUsage(usage, price, parameters)
    const applied = [
      { parameter: "size", value: "4k", factor: "2.5" },
      { parameter: "audio", value: null, factor: "2" },
    ]
    assert.deepEqual(toQuoteLines({ usage, price, parameters }, cost), [
      { item: "image", quantity: 2, unitPriceMicros: 100, factors: applied },
      { item: "request", quantity: 1, unitPriceMicros: 7, factors: applied },
    ])
    assert.deepEqual(
      toQuoteLines({ usage, price: { ...price, factors: { size: {} } }, parameters }, cost),
      [],
    )
  })
})

describe("what a channel costs", () => {
  const usage = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
  const attempt = { told: undefined, usage, parameters: { resolution: "2k" } }
  const factored = { perImageMicros: 100, factors: { resolution: { "2k": "2.5" } } }

  it("has factors by what was asked too", () => {
    const cost = toBilledCost(imageEdit, factored, attempt)
    assert.deepEqual(cost, { computedMicros: 500, told: null })
  })

  it("is unknown where a value has no factor, and where no rate counts what was made", () => {
    assert.equal(toBilledCost(imageEdit, factored, { ...attempt, parameters: {} }), "unknown")
    assert.equal(toBilledCost(imageEdit, { perVideoSecondMicros: 0 }, attempt), "unknown")
    assert.equal(toBilledCost(imageEdit, { factors: {} }, attempt), "unknown")
  })

  it("is known without what was made where a request costs the same whatever comes of it", () => {
    const unknown = { ...attempt, usage: undefined }
    const cost = (price: ModelPrice) => toBilledCost(imageEdit, price, unknown)
    assert.deepEqual(cost({ perRequestMicros: 9 }), { computedMicros: 9, told: null })
    assert.deepEqual(cost({ perImageMicros: 0 }), { computedMicros: 0, told: null })
    assert.equal(cost({ perRequestMicros: 9, perImageMicros: 1 }), "unknown")
    assert.deepEqual(toBilledCost(referenceToVideo, { perRequestMicros: 0 }, unknown), {
      computedMicros: 0,
      told: null,
    })
  })
})
