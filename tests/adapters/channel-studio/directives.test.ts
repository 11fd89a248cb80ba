/** The sandbox's directives: which text is one, and what it says. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { readPrompt } from "@safelight/channel-studio"
import { FAILURE_CODES } from "@safelight/core"
import * as fc from "fast-check"

const WELL_FORMED: readonly (readonly [string, object])[] = [
  ["[studio: delay 5s]", { delayMs: 5000 }],
  ["[studio: delay 250ms]", { delayMs: 250 }],
  ["[studio: delay 1m]", { delayMs: 60_000 }],
  ["[studio:delay 5s]", { delayMs: 5000 }],
  ["[studio:   stall  ]", { isStalled: true }],
  ["[studio: at-once]", { isImmediate: true }],
  ["[studio: unsafe]", { isUnsafe: true }],
  ["[studio: require-checker]", { needsChecker: true }],
  ["[studio: crash]", { isCrashing: true }],
  ["[studio: defer 3]", { deferrals: 3 }],
  ["[studio: fail no_output]", { failure: { code: "no_output", isBilled: false } }],
  [
    "[studio: fail provider_rejected billed]",
    { failure: { code: "provider_rejected", isBilled: true } },
  ],
]

const MALFORMED: readonly string[] = [
  "[studio: ]",
  "[studio: dance]",
  "[studio: delay]",
  "[studio: delay 5]",
  "[studio: delay -5s]",
  "[studio: delay 1.5s]",
  "[studio: delay 61s]",
  "[studio: delay 60001ms]",
  "[studio: delay 5s 5s]",
  "[studio: delay  5s]",
  "[studio: fail]",
  "[studio: fail nonsense]",
  "[studio: fail no_output twice]",
  "[studio: fail no_output billed billed]",
  "[studio: defer 0]",
  "[studio: defer 21]",
  "[studio: defer 100]",
  "[studio: defer]",
  "[studio: stall 5s]",
  "[studio: toString]",
  "[studio: constructor]",
  "[Studio: stall]",
  "[studio stall]",
  "[studio: stall",
  "studio: stall]",
  "[studio:\nstall]",
  "[studio:     stall]",
]

/** A prompt's shape made of pieces that a directive is made of. */
const nearDirectives = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "[studio:",
        "]",
        "[",
        " ",
        "delay",
        "5s",
        "fail",
        "stall",
        "defer",
        "3",
        "no_output",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""))

describe("directives in a prompt", () => {
  for (const [prompt, expected] of WELL_FORMED) {
    test(`${prompt} is read`, () => {
      assert.deepEqual(readPrompt(prompt), { text: "", directives: expected })
      assert.deepEqual(readPrompt(`a red ${prompt} fox`).directives, expected)
    })
  }

  for (const prompt of MALFORMED) {
    test(`${JSON.stringify(prompt)} is prompt text`, () => {
      assert.deepEqual(readPrompt(prompt), { text: prompt, directives: {} })
    })
  }

  test("a directive counts in the first 65,536 characters, and is prompt text after them", () => {
    const directive = "[studio: stall]"
    const before = "x".repeat(65_536 - directive.length)
    const inside = readPrompt(`${before}${directive} and on`)
    assert.deepEqual(inside, { text: `${before} and on`, directives: { isStalled: true } })
    const across = `${before}x${directive} and on`
    assert.deepEqual(readPrompt(across), { text: across, directives: {} })
  })

  test("every failure code can be asked for", () => {
    for (const code of FAILURE_CODES) {
      const { failure } = readPrompt(`[studio: fail ${code}]`).directives
      assert.deepEqual(failure, { code, isBilled: false })
    }
  })

  test("several directives add up, and the later of a kind rules", () => {
    const prompt = "[studio: delay 1s] a fox [studio: at-once][studio: delay 2s]"
    const { text, directives } = readPrompt(prompt)
    assert.equal(text, "a fox")
    assert.deepEqual(directives, { delayMs: 2000, isImmediate: true })
  })

  test("text that becomes a directive by taking one out stays text", () => {
    const { text, directives } = readPrompt("[studio: [studio: stall]stall]")
    assert.equal(text, "[studio: stall]")
    assert.deepEqual(directives, { isStalled: true })
  })

  test("a prompt without directives is untouched, spaces and control characters included", () => {
    const property = fc.property(fc.string({ unit: "binary", maxLength: 200 }), (prompt) => {
      fc.pre(!prompt.includes("[studio:"))
      assert.deepEqual(readPrompt(prompt), { text: prompt, directives: {} })
    })
    fc.assert(property)
  })

  test("nothing but a directive is ever taken out of a prompt, and nothing throws", () => {
    const property = fc.property(nearDirectives, (prompt) => {
      const { text, directives } = readPrompt(prompt)
      const isRead = Object.keys(directives).length > 0
      if (!isRead) assert.equal(text, prompt)
      else assert.ok(text.length <= prompt.length - "[studio:stall]".length)
    })
    fc.assert(property, { numRuns: 2000 })
  })

  test("a directive is found in any surroundings", () => {
    const property = fc.property(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(...WELL_FORMED),
      (before, after, [directive, expected]) => {
        fc.pre(!`${before}${after}`.includes("["))
        const { text, directives } = readPrompt(`${before}${directive}${after}`)
        assert.deepEqual(directives, expected)
        assert.equal(text, `${before}${after}`.trim())
      },
    )
    fc.assert(property)
  })
})
