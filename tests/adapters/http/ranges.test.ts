/** The range evaluator: every row of http-decisions §5, then a slow and obvious second opinion. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { evaluateRange, type ByteRange } from "@safelight/http"
import * as fc from "fast-check"

const MANY = Array.from({ length: 51 }, (_, index) => `${index * 19}-${index * 19}`)

const ROWS: readonly [header: string, expected: string][] = [
  ["bytes=0-0", "0-0"],
  ["bytes=0-499", "0-499"],
  ["bytes=990-", "990-999"],
  ["bytes=-10", "990-999"],
  ["bytes=990-1990", "990-999"],
  ["bytes=0-99999999999999999999", "0-999"],
  ["bytes=-1500", "0-999"],
  ["bytes=-99999999999999999999", "0-999"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=1000-", "unsatisfiable"],
  ["bytes=99999999999999999999-", "unsatisfiable"],
  ["bytes=5-4", "ignored"],
  ["bytes=99999999999999999999-99999999999999999998", "ignored"],
  ["bytes=0-2,5-4", "ignored"],
  ["bytes=abc", "ignored"],
  ["bytes=", "ignored"],
  ["bytes=--5", "ignored"],
  ["bytes=0x1-2", "ignored"],
  ["bytes 0-1", "ignored"],
  ["bytes=0-1 2-3", "ignored"],
  ["bytes=,,,", "ignored"],
  ["bytes= 0-1", "ignored"],
  ["bytes=-", "ignored"],
  ["items=0-1", "ignored"],
  ["BYTES=0-1", "0-1"],
  ["bytes=0-0,-1", "0-0 999-999"],
  ["bytes=,0-0 ,\t-1,", "0-0 999-999"],
  ["bytes=0-9,-10,100000-,10-19", "0-19 990-999"],
  ["bytes=-10,0-9", "990-999 0-9"],
  ["bytes=0-0,129-129", "0-0 129-129"],
  ["bytes=0-0,128-128", "0-128"],
  ["bytes=0-9,2000-", "0-9"],
  ["bytes=2000-,3000-", "unsatisfiable"],
  ["bytes=0-9,5-14", "0-14"],
  ["bytes=0-9,5-14,8-20", "ignored"],
  ["bytes=0-999,0-0", "ignored"],
  [`bytes=${MANY.join(",")}`, "ignored"],
  [`bytes=${MANY.slice(1).join(",")}`, "19-950"],
  [`bytes=0-0,${"0".repeat(4_080)}1-1`, "0-1"],
  [`bytes=0-0,${"0".repeat(4_090)}1-1`, "ignored"],
]

describe("evaluateRange", () => {
  for (const [header, expected] of ROWS) {
    const name = header.length > 60 ? `${header.slice(0, 60)}… (${header.length})` : header
    it(`answers ${name} of 1,000 bytes with ${expected}`, () => {
      assert.equal(show(header, 1000), expected)
    })
  }

  it("finds every range of an empty artifact unsatisfiable", () => {
    assert.equal(show("bytes=0-", 0), "unsatisfiable")
    assert.equal(show("bytes=-5", 0), "unsatisfiable")
  })

  it("agrees with marking every byte on a strip", () => {
    const bound = fc.option(fc.nat(400), { nil: undefined })
    const spec = fc
      .tuple(bound, bound)
      .map(([first, last]) => `${first ?? ""}-${last ?? ""}`)
      .filter((text) => text !== "-")
    const specs = fc.array(spec, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(specs, fc.integer({ min: 0, max: 300 }), (members, bytes) => {
        assert.equal(show(`bytes=${members.join(",")}`, bytes), showSlowly(members, bytes))
      }),
      { numRuns: 3_000, verbose: 1 },
    )
  })

  it("answers any text at all", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(2_000), (text, bytes) => {
        for (const header of [text, `bytes=${text}`]) {
          const result = evaluateRange(header, bytes)
          if (result.kind !== "satisfiable") continue
          for (const { start, end } of result.ranges) {
            assert.ok(start >= 0 && start <= end && end < bytes)
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

function show(header: string, bytes: number): string {
  const result = evaluateRange(header, bytes)
  return result.kind === "satisfiable" ? showRanges(result.ranges) : result.kind
}

function showRanges(ranges: readonly ByteRange[]): string {
  return ranges.map(({ start, end }) => `${start}-${end}`).join(" ")
}

/** One list of wanted byte numbers a member; runs are read off a strip of the whole artifact. */
function showSlowly(members: readonly string[], bytes: number): string {
  const pairs = members.map((member) => member.split("-") as [string, string])
  if (pairs.some(([first, last]) => first && last && Number(first) > Number(last))) return "ignored"
  const strip = Array.from({ length: bytes }, (_, index) => index)
  const wanted = pairs.map((pair) => pick(strip, pair)).filter((each) => each.length > 0)
  if (wanted.length === 0) return "unsatisfiable"
  const overlapping = wanted.filter((each) =>
    wanted.some((other) => other !== each && other.some((byte) => each.includes(byte))),
  )
  const isTooMuch = wanted.length > 1 && wanted.flat().length > bytes
  if (isTooMuch || overlapping.length > 2) return "ignored"
  return showRanges(toRuns(strip, wanted))
}

function pick(strip: readonly number[], [first, last]: [string, string]): number[] {
  if (first === "") return strip.slice(strip.length - Math.min(strip.length, Number(last)))
  const end = last === "" ? Infinity : Number(last)
  return strip.filter((byte) => byte >= Number(first) && byte <= end)
}

function toRuns(strip: readonly number[], wanted: readonly number[][]): ByteRange[] {
  const runs: { start: number; end: number; position: number }[] = []
  for (const byte of strip) {
    const position = wanted.findIndex((each) => each.includes(byte))
    const run = runs.at(-1)
    if (position === -1) continue
    if (run === undefined || byte - run.end > 128) runs.push({ start: byte, end: byte, position })
    else Object.assign(run, { end: byte, position: Math.min(run.position, position) })
  }
  return runs.toSorted((left, right) => left.position - right.position)
}
