/**
 * The conformance list: it has every section of the documents, each with suites whose tests passed, in files
 * that are there. That as many pass is seen by `run.ts`, whenever one of the files runs.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import {
  countAnew,
  findShortfalls,
  findUntestedCodes,
  LIST,
  readConformance,
} from "../service/conformance/conformance-list.ts"
import type { PassedTests } from "../support/passed-tests.ts"
import { findFiles } from "./workspaces.ts"

const SAMPLE = `{
  "HTTP decisions": {
    "§2 The error \`body\`": {
      "core/one.test.ts": {
        "": 4,
        "a suite, named": 2
      },
      "core/two.test.ts": {
        "reads": 1
      }
    }
  }
}
`

/** Of which these tests passed, by suite. */
function passedTests(names: Readonly<Record<string, readonly string[]>>): PassedTests {
  return {
    note: () => {},
    namesIn: ({ file, name }) => names[`${file}: ${name}`] ?? [],
  }
}

const ALL = passedTests({
  "core/one.test.ts: ": ["a", "b", "c", "d"],
  "core/one.test.ts: a suite, named": ["e as invalid_json", "f"],
  "core/two.test.ts: reads": ["g"],
})
const FEWER = passedTests({
  "core/one.test.ts: ": ["a", "b", "c", "d", "more"],
  "core/one.test.ts: a suite, named": ["f"],
})
const FILES = ["core/one.test.ts", "core/two.test.ts"]

describe("the conformance list", () => {
  const sections = readConformance(readFileSync(LIST, "utf8"))

  it("has every section of both documents and of the extensions, each once", () => {
    const names = sections.map(({ document, section }) => `${document} ${section}`)
    const parts = ["1", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "3", "4", "5", "6", "7", "8", "9"]
    const specification = parts.map((part) => `Specification §${part}`)
    const decisions = ["1", "2", "3", "4", "5", "6", "7"].map((part) => `HTTP decisions §${part}`)
    const extensions = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].map(
      (part) => `Extensions §${part}`,
    )
    assert.deepEqual(names, [...specification, ...decisions, ...extensions])
  })

  it("has suites for every section, each once, of which at least one test passed", () => {
    for (const { document, section, suites } of sections) {
      const names = suites.map(({ file, name }) => `${file}: ${name}`)
      assert.ok(names.length > 0, `${document} ${section}`)
      assert.equal(new Set(names).size, names.length, `${document} ${section}`)
    }
    const empty = sections.flatMap(({ suites }) => suites).filter(({ count }) => count === 0)
    assert.deepEqual(empty, [])
  })

  it("lists test files that are there", () => {
    const files = findFiles("tests", ".test.ts").map((path) => path.replace(/^tests\//, ""))
    const listed = sections.flatMap(({ suites }) => suites.map(({ file }) => file))
    assert.deepEqual(
      listed.filter((file) => !files.includes(file)),
      [],
    )
  })
})

describe("a run", () => {
  const sections = readConformance(SAMPLE)

  it("is judged by the suites and counts of the list", () => {
    assert.deepEqual(sections, [
      {
        document: "HTTP decisions",
        section: "§2",
        suites: [
          { file: "core/one.test.ts", name: "", count: 4 },
          { file: "core/one.test.ts", name: "a suite, named", count: 2 },
          { file: "core/two.test.ts", name: "reads", count: 1 },
        ],
      },
    ])
    const broken = SAMPLE.replace(": 2", ': "2"')
    assert.throws(() => readConformance(broken), /no count: core\/one\.test\.ts: a suite, named: 2/)
  })

  it("lacks a test if fewer passed than are listed, of the files that ran", () => {
    assert.deepEqual(findShortfalls(sections, ALL, FILES), [])
    const one = "the conformance list has 2 tests of core/one.test.ts: a suite, named, and 1 passed"
    const two = "the conformance list has 1 tests of core/two.test.ts: reads, and 0 passed"
    assert.deepEqual(findShortfalls(sections, FEWER, FILES), [one, two])
    assert.deepEqual(findShortfalls(sections, FEWER, ["core/one.test.ts"]), [one])
  })

  it("lacks an error code if no passed test names it as a word", () => {
    const codes = ["invalid_json", "invalid", "g"]
    assert.deepEqual(
      sections.map((section) => findUntestedCodes(section, ALL, codes)),
      [["invalid"]],
    )
    assert.deepEqual(
      sections.map((section) => findUntestedCodes(section, FEWER, codes)),
      [codes],
    )
  })

  it("can be counted anew, which changes nothing but the counts of the files that ran", () => {
    assert.equal(countAnew(SAMPLE, ALL, FILES), SAMPLE)
    const counted = SAMPLE.replace(": 4", ": 5").replace(": 2", ": 1")
    assert.equal(countAnew(SAMPLE, FEWER, ["core/one.test.ts"]), counted)
  })
})
