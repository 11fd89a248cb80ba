/**
 * The conformance table: every row has a test in a file that is there, and the page beside
 * them shows the rows as they are. That the tests pass is seen by `run.ts`, in a whole run.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { ERROR_CODES } from "@safelight/http"
import { PAGE, replaceTable, toConformanceTable } from "../service/conformance/conformance-page.ts"
import type { ConformanceSection } from "../service/conformance/conformance-row.ts"
import { SECTIONS, toReferences } from "../service/conformance/sections.ts"
import { findFiles } from "./workspaces.ts"

const rows = SECTIONS.flatMap(({ document, section, rows: each }) =>
  each.map(({ row, tests }) => ({ name: `${document} ${section}: ${row}`, row, tests })),
)

const SAMPLE: ConformanceSection = {
  document: "Specification",
  section: "§1",
  title: "What `a` does",
  rows: [
    { row: "`a | b`", tests: [{ file: "core/one.test.ts", name: "a suite > does a | b" }] },
    {
      row: "both",
      tests: [
        { file: "core/two.test.ts", name: "__works__" },
        { file: "core/two.test.ts", name: "works" },
        { file: "core/one.test.ts", name: "works" },
      ],
    },
  ],
}

describe("the conformance table", () => {
  it("has every section of both documents and of the extensions, each once", () => {
    const names = SECTIONS.map(({ document, section }) => `${document} ${section}`)
    const parts = ["1", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "3", "4", "5", "6", "7", "8", "9"]
    const specification = parts.map((part) => `Specification §${part}`)
    const decisions = ["1", "2", "3", "4", "5", "6", "7"].map((part) => `HTTP decisions §${part}`)
    const extensions = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].map(
      (part) => `Extensions §${part}`,
    )
    assert.deepEqual(names, [...specification, ...decisions, ...extensions])
  })

  it("has a row for every code of the error table", () => {
    const codes = new Set(rows.flatMap(({ row }) => row.match(/(?<=`)\w+(?=`)/g) ?? []))
    assert.deepEqual(
      ERROR_CODES.filter((code) => !codes.has(code)),
      [],
    )
  })

  it("has a test for every row, and no row twice in a section", () => {
    assert.deepEqual(
      rows.filter(({ tests }) => tests.length === 0).map(({ name }) => name),
      [],
    )
    const names = rows.map(({ name }) => name)
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    )
  })

  it("refers to test files that are there", () => {
    const files = findFiles("tests", ".test.ts").map((path) => path.replace(/^tests\//, ""))
    const missing = toReferences(SECTIONS).filter(({ file }) => !files.includes(file))
    assert.deepEqual(missing, [])
  })

  it("stands on its page as it is", () => {
    const page = readFileSync(PAGE, "utf8")
    const how = "the rows changed; run `npm run conformance:update` and commit the page"
    assert.ok(page === replaceTable(page, toConformanceTable(SECTIONS)), how)
  })
})

describe("the page of the conformance table", () => {
  const table = toConformanceTable([SAMPLE])

  it("shows rows and tests as a Markdown table, each file linked once", () => {
    assert.deepEqual(table.split("\n").slice(3), [
      "<details>",
      "<summary>Specification §1: What <code>a</code> does (2 rows)</summary>",
      "",
      "| row | tests |",
      "| --- | --- |",
      String.raw`| ${"`a \\| b`"} | [core/one.test.ts] ${"`a suite > does a \\| b`"} |`,
      "| both | [core/two.test.ts] `__works__`<br>`works`<br>[core/one.test.ts] `works` |",
      "",
      "</details>",
      "",
      "[core/one.test.ts]: ../../core/one.test.ts",
      "[core/two.test.ts]: ../../core/two.test.ts",
      "",
      "<!-- oxfmt-ignore-end -->",
    ])
  })

  it("replaces the one that stands there, and nothing around it", () => {
    const page = `before\n\n${toConformanceTable([])}\n\nafter\n`
    const replaced = replaceTable(page, table)
    assert.equal(replaced, `before\n\n${table}\n\nafter\n`)
    assert.equal(replaceTable(replaced, table), replaced)
    assert.throws(() => replaceTable("before\n\nafter\n", table), /no place/)
  })

  it("refuses a name that could not be shown as it is", () => {
    const tests = [{ file: "core/one.test.ts", name: "reads `a`" }]
    const sections = [{ ...SAMPLE, rows: [{ row: "a", tests }] }]
    assert.throws(() => toConformanceTable(sections), /can't be shown/)
  })
})
