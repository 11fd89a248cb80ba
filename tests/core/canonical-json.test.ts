/**
 * Canonical JSON against a naive reading of RFC 8785 and the RFC's own examples. The reference
 * escapes and sorts by hand and shares no code with core; numbers are ECMAScript's in both, as
 * RFC 8785 §3.2.2.3 prescribes.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toCanonicalJson } from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
}

/** RFC 8785 §3.2, read aloud. */
function reference(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return value === 0 ? "0" : String(value)
  if (typeof value === "string") {
    const units = value.split("").map((unit) => {
      if (unit in SHORT_ESCAPES) return SHORT_ESCAPES[unit]
      return unit < " " ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}` : unit
    })
    return `"${units.join("")}"`
  }
  if (Array.isArray(value)) return `[${value.map(reference).join(",")}]`
  const members = Object.entries(value as object).filter(([, child]) => child !== undefined)
  members.sort(([a], [b]) => compareUnits(a, b))
  return `{${members.map(([key, child]) => `${reference(key)}:${reference(child)}`).join(",")}}`
}

/** By UTF-16 code units, unsigned (RFC 8785 §3.2.3). */
function compareUnits(one: string, other: string): number {
  for (let index = 0; index < Math.min(one.length, other.length); index += 1) {
    const difference = one.charCodeAt(index) - other.charCodeAt(index)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).filter((value) => value.isWellFormed()),
  fc.nat({ max: 120 }).map(String),
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "toJSON",
    "\u0000",
    "\u2028",
    "ﬀ",
    "😂",
    "\u007f",
    "\\ud800",
  ),
)

const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(fc.tuple(text, tie("value")), { maxLength: 6 })
      .map((entries) => Object.fromEntries(entries)),
  ),
}))

describe("canonical JSON", () => {
  it("is what a naive reading of RFC 8785 writes", (t) => {
    const property = fc.property(json, (value) => {
      assert.equal(toCanonicalJson(value), reference(value))
    })
    check(t, property, 2_000)
  })

  it("reads back as the value, and is its own canonical text", (t) => {
    const property = fc.property(json, (value) => {
      const canonical = toCanonicalJson(value)
      assert.equal(toCanonicalJson(JSON.parse(canonical)), canonical)
      assert.equal(reference(JSON.parse(canonical)), canonical)
    })
    check(t, property, 500)
  })

  it("does not depend on the order in which members were written", (t) => {
    const entries = fc.uniqueArray(fc.tuple(text, json), { selector: ([key]) => key, maxLength: 8 })
    const property = fc.property(entries, (members) => {
      const forwards = Object.fromEntries(members)
      const backwards = Object.fromEntries(members.toReversed())
      assert.equal(toCanonicalJson(forwards), toCanonicalJson(backwards))
    })
    check(t, property)
  })

  it("writes the examples of RFC 8785 §3.2.2 and §3.2.3", () => {
    const sample = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    }
    assert.equal(
      toCanonicalJson(sample),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    const keys = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    const order = Array.from(toCanonicalJson(keys).matchAll(/:"([^"]*)"/g), ([, name]) => name)
    assert.deepEqual(order, [
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ])
  })

  it("writes the numbers of RFC 8785 appendix B", () => {
    const samples: readonly (readonly [hex: string, written: string])[] = [
      ["0000000000000000", "0"],
      ["8000000000000000", "0"],
      ["0000000000000001", "5e-324"],
      ["8000000000000001", "-5e-324"],
      ["7fefffffffffffff", "1.7976931348623157e+308"],
      ["ffefffffffffffff", "-1.7976931348623157e+308"],
      ["4340000000000000", "9007199254740992"],
      ["c340000000000000", "-9007199254740992"],
      ["4430000000000000", "295147905179352830000"],
      ["44b52d02c7e14af5", "9.999999999999997e+22"],
      ["44b52d02c7e14af6", "1e+23"],
      ["44b52d02c7e14af7", "1.0000000000000001e+23"],
      ["444b1ae4d6e2ef4e", "999999999999999700000"],
      ["444b1ae4d6e2ef4f", "999999999999999900000"],
      ["444b1ae4d6e2ef50", "1e+21"],
      ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
      ["3eb0c6f7a0b5ed8d", "0.000001"],
      ["41b3de4355555553", "333333333.3333332"],
      ["41b3de4355555554", "333333333.33333325"],
      ["41b3de4355555555", "333333333.3333333"],
      ["41b3de4355555556", "333333333.3333334"],
      ["41b3de4355555557", "333333333.33333343"],
      ["becbf647612f3696", "-0.0000033333333333333333"],
      ["43143ff3c1cb0959", "1424953923781206.2"],
    ]
    for (const [hex, written] of samples) {
      const number = Buffer.from(hex, "hex").readDoubleBE()
      assert.equal(toCanonicalJson(number), written, hex)
    }
  })

  it("sorts integer-like members as text too, at any depth", () => {
    assert.equal(toCanonicalJson({ 9: 1, 10: 2 }), '{"10":2,"9":1}')
    assert.equal(toCanonicalJson([{ b: { 9: 1, 10: 2 }, a: 1 }]), '[{"a":1,"b":{"10":2,"9":1}}]')
  })

  it("leaves undefined members out and takes objects without a prototype", () => {
    assert.equal(toCanonicalJson({ a: undefined, b: 1 }), '{"b":1}')
    assert.equal(toCanonicalJson({ b: 1, a: undefined }), '{"b":1}')
    const bare = Object.assign(Object.create(null) as object, { b: 1, a: { d: 1, c: 1 } })
    assert.equal(toCanonicalJson(bare), '{"a":{"c":1,"d":1},"b":1}')
    assert.equal(toCanonicalJson(JSON.parse('{"b":1,"__proto__":2}')), '{"__proto__":2,"b":1}')
  })

  const refused: readonly (readonly [name: string, value: unknown])[] = [
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["an infinity", -Infinity],
    ["a bigint", 1n],
    ["a symbol", Symbol("one")],
    ["a function", (): number => 1],
    ["a lone high surrogate", "a\ud800"],
    ["a lone low surrogate", "\udc00a"],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["bytes", new Uint8Array(2)],
    ["a boxed text", Object("text")],
    ["an array with a hole", Array.from({ length: 1 }, () => 1).concat(Array(1) as number[])],
    ["an array holding undefined", [1, undefined]],
  ]
  for (const [name, value] of refused) {
    it(`refuses ${name}, alone, as a member and as an item`, () => {
      assert.throws(() => toCanonicalJson(value), TypeError)
      assert.throws(() => toCanonicalJson([{ b: 1, a: [value] }]), TypeError)
      assert.throws(() => toCanonicalJson([{ a: 1, b: [value] }]), TypeError)
      if (value === undefined) return
      assert.throws(() => toCanonicalJson({ a: value }), TypeError)
      assert.throws(() => toCanonicalJson({ b: value, a: 1 }), TypeError)
    })
  }

  it("refuses a lone surrogate in a member's name", () => {
    assert.throws(() => toCanonicalJson({ "\ud800": 1 }), TypeError)
    assert.throws(() => toCanonicalJson({ b: 1, "a\udfff": 1 }), TypeError)
  })
})
