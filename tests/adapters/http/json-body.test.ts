/** The scan of a body's structure against a slow reference, and the place where JSON breaks. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { findJsonFault, JSON_BOUNDS, scanJson } from "@safelight/http"
import * as fc from "fast-check"

const SMALL = { depth: 3, nodes: 12 }

describe("scanJson", () => {
  it("agrees with counting the parsed value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(3), (value, indent) => {
        const expected = isWithin(value) ? "plain" : "too-complex"
        assert.equal(scanJson(JSON.stringify(value, null, indent), SMALL), expected)
      }),
      { numRuns: 3_000, verbose: 1 },
    )
  })

  it("finds a name that stands twice in one object, and only there", () => {
    const name = fc.constantFrom("a", "b", "\\u0061", "\\u0062", '\\"', "__proto__", "")
    const object = fc.array(name, { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 3 }), (objects) => {
        const parts = objects.map((names) => `{${names.map((each) => `"${each}":"\\"}"`).join()}}`)
        const isTwice = objects.some((names) => {
          const real = names.map((each) => JSON.parse(`"${each}"`) as string)
          return new Set(real).size < real.length
        })
        assert.equal(scanJson(`[${parts.join()}]`), isTwice ? "duplicate" : "plain")
      }),
      { numRuns: 2_000, verbose: 1 },
    )
  })

  it("holds both sides of the depth of 32 and of 10,000 values", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
    assert.equal(scanJson(nested(JSON_BOUNDS.depth)), "plain")
    assert.equal(scanJson(nested(JSON_BOUNDS.depth + 1)), "too-complex")
    const list = (values: number) => `[${Array.from({ length: values }, () => "1").join()}]`
    assert.equal(scanJson(list(JSON_BOUNDS.nodes - 1)), "plain")
    assert.equal(scanJson(list(JSON_BOUNDS.nodes)), "too-complex")
  })

  it("stops at names without values before they fill the memory", () => {
    const names = Array.from({ length: JSON_BOUNDS.nodes + 1 }, (_, index) => `"${index}"`)
    assert.equal(scanJson(`{${names.join()}`), "too-complex")
  })

  it("reads any text to its end", () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('{}[]:,"\\ 1a')), maxLength: 60 })
    fc.assert(
      fc.property(text, (each) => {
        assert.ok(["plain", "duplicate", "too-complex"].includes(scanJson(each)))
      }),
      { numRuns: 3_000 },
    )
  })
})

describe("findJsonFault", () => {
  it("never names a byte with which the text could still go on", () => {
    const broken = fc
      .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.constantFrom("", ",", '"', "}", "\\", "0"))
      .map(([value, seed, insert]) => {
        const text = JSON.stringify(value)
        const at = seed % (text.length + 1)
        return text.slice(0, at) + insert + text.slice(at + (insert === "" ? 1 : 0))
      })
    const loose = fc.string({
      unit: fc.constantFrom(...Array.from('{}[]:,"\\ 1-.e+tun\n\u0001')),
      maxLength: 12,
    })
    fc.assert(
      fc.property(fc.oneof(broken, loose), (text) => {
        const at = findFault(text)
        assert.ok(at >= 0 && at <= text.length, text)
        if (at < text.length && !isJson(text)) assert.ok(!isBegun(text.slice(0, at + 1)), text)
      }),
      { numRuns: 5_000, verbose: 1 },
    )
  })

  it("names the first byte that can't stand there", () => {
    const rows: readonly [string, number][] = [
      ["", 0],
      ['{"a":tru}', 8],
      ['{"a":1,}', 7],
      ["[1 2]", 3],
      ["01", 1],
      ['"a\nb"', 2],
      ['"\\x"', 2],
      ["[1", 2],
      ["{}x", 2],
      ['{"\u00e9":1 2}', 8],
      ["-", 1],
      ['"abc', 4],
    ]
    for (const [text, at] of rows) assert.equal(findFault(text), at, text)
  })
})

function findFault(text: string): number {
  return findJsonFault(new TextEncoder().encode(text))
}

/** Whether more may follow by which the text would be JSON: then V8 complains of its end. */
function isBegun(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const [, position] = /at position (\d+)/.exec(message) ?? []
    return /end of JSON input|Unterminated string/.test(message) || Number(position) === text.length
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isWithin(value: unknown): boolean {
  let nodes = 0
  let deepest = 0
  function visit(each: unknown, depth: number): void {
    nodes += 1
    if (typeof each !== "object" || each === null) return
    deepest = Math.max(deepest, depth)
    for (const member of Object.values(each)) visit(member, depth + 1)
  }
  visit(value, 1)
  return nodes <= SMALL.nodes && deepest <= SMALL.depth
}
