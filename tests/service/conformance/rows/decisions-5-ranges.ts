/** HTTP decisions §5: the table of ranges, on 1,000 bytes. */
import type { ConformanceRow } from "../conformance-row.ts"
import { answers, content, nodeServer, ranges } from "./test-files.ts"

/** Over HTTP, in both worlds. */
function answered(...names: readonly string[]): ConformanceRow["tests"] {
  return content(...names.map((name) => `content > answers ${name}`))
}

/** By the evaluator alone. */
function evaluated(...names: readonly string[]): ConformanceRow["tests"] {
  return ranges(...names.map((name) => `evaluateRange > answers ${name}`))
}

const MANY = "bytes=0-0,19-19,38-38,57-57,76-76,95-95,114-114,133-133,152-… (399)"
const FEWER = "bytes=19-19,38-38,57-57,76-76,95-95,114-114,133-133,152-152,… (395)"

export const RANGES: readonly ConformanceRow[] = [
  {
    row: "`0-0`, `0-499`, `990-`, `-10`, `990-1990`, `0-99999999999999999999`: 206, clamped",
    tests: answered(
      "bytes=0-0 with 206 0-0",
      "bytes=0-499 with 206 0-499",
      "bytes=990- with 206 990-999",
      "bytes=-10 with 206 990-999",
      "bytes=990-1990 with 206 990-999",
      "bytes=0-99999999999999999999 with 206 0-999",
    ),
  },
  {
    row: "`bytes=-1500`: 206, 0-999/1000",
    tests: answered("bytes=-1500 with 206 0-999"),
  },
  {
    row: "`-0`, `1000-`, `99999999999999999999-`: 416, `bytes */1000`",
    tests: answered(
      "bytes=-0 with 416",
      "bytes=1000- with 416",
      "bytes=99999999999999999999- with 416",
    ),
  },
  {
    row: "`5-4`, `0-2,5-4`, `abc`, `bytes=`, `--5`, `0x1-2`, `bytes 0-1`, `0-1 2-3`, `,,,`: 200, ignored",
    tests: answered(
      "bytes=5-4 with 200",
      "bytes=0-2,5-4 with 200",
      "bytes=abc with 200",
      "bytes= with 200",
      "bytes=--5 with 200",
      "bytes=0x1-2 with 200",
      "bytes 0-1 with 200",
      "bytes=0-1 2-3 with 200",
      "bytes=,,, with 200",
    ),
  },
  { row: "Another unit: 200, ignored", tests: answered("lines=0-1 with 200") },
  {
    row: "`BYTES=0-1`: 206, the unit is case-insensitive",
    tests: answered("BYTES=0-1 with 206 0-1"),
  },
  {
    row: "Two Range headers: 200",
    tests: nodeServer("the Node server > ignores two Range headers"),
  },
  {
    row: "`0-0,-1`: 206 multipart/byteranges, two parts",
    tests: answered("bytes=0-0,-1 with the parts 0-0 and 999-999, one reader at a time"),
  },
  {
    row: "`0-9,-10,100000-,10-19`: unsatisfiable dropped, coalesced to 0-19 and 990-999",
    tests: answered(
      "bytes=0-9,-10,100000-,10-19 with the parts 0-19 and 990-999, one reader at a time",
    ),
  },
  {
    row: "One range left after that: a plain 206, not multipart",
    tests: answered("bytes=0-9,5000- with 206 0-9"),
  },
  {
    row: "More than 50 ranges: 200",
    tests: evaluated(`${MANY} of 1,000 bytes with ignored`, `${FEWER} of 1,000 bytes with 19-950`),
  },
  {
    row: "Ranges whose sum is more than the size: 200",
    tests: answered("bytes=0-999,0-0 with 200"),
  },
  {
    row: "More than two overlapping ranges: 200",
    tests: [
      ...answered("bytes=0-9,5-14,8-20 with 200"),
      ...evaluated("bytes=0-9,5-14 of 1,000 bytes with 0-14"),
    ],
  },
  {
    row: "A header of more than 4 KiB: 200",
    tests: evaluated(
      `bytes=0-0,${"0".repeat(50)}… (4103) of 1,000 bytes with ignored`,
      `bytes=0-0,${"0".repeat(50)}… (4093) of 1,000 bytes with 0-1`,
    ),
  },
  {
    row: "HEAD with Range: 200, full Content-Length",
    tests: [
      ...content("content > answers HEAD with a Range as if there were none"),
      ...answers("HEAD > is GET without the body where the answer is 200: content"),
    ],
  },
]
