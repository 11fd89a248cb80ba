/**
 * The rows as Markdown, on a page beside them: a collapsed table a section, between two comments. The
 * formatter leaves what stands between them alone; tables in its form are as wide as their widest row
 * in every row.
 */
import { join } from "node:path"
import type { ConformanceRow, ConformanceSection } from "./conformance-row.ts"
import { toReferences } from "./sections.ts"

export const PAGE = join(import.meta.dirname, "README.md")

const BEGIN = "<!-- oxfmt-ignore-start -->\n<!-- Made by `npm run conformance:update`. -->"
const END = "<!-- oxfmt-ignore-end -->"
/** From the page to the folder of all tests. */
const TESTS = "../.."

export function toConformanceTable(sections: readonly ConformanceSection[]): string {
  const files = toReferences(sections).map(({ file }) => file)
  const targets = [...new Set(files)].toSorted().map((file) => `[${file}]: ${TESTS}/${file}`)
  return [BEGIN, ...sections.map(toDetails), targets.join("\n"), END].join("\n\n")
}

/** The page with `table` in place of the one that stands there; throws where none does. */
export function replaceTable(page: string, table: string): string {
  const start = page.indexOf(BEGIN)
  const end = page.indexOf(END, start)
  if (start === -1 || end === -1) throw new Error("the page has no place for the table")
  return page.slice(0, start) + table + page.slice(end + END.length)
}

function toDetails({ document, section, title, rows }: ConformanceSection): string {
  // Between tags Markdown is not read.
  const heading = title.replaceAll(/`([^`]*)`/g, "<code>$1</code>")
  return [
    `<details>\n<summary>${document} ${section}: ${heading} (${rows.length} rows)</summary>`,
    ["| row | tests |", "| --- | --- |", ...rows.map(toLine)].join("\n"),
    "</details>",
  ].join("\n\n")
}

/** Each file once, before the names of its tests. */
function toLine({ row, tests }: ConformanceRow): string {
  const cells = tests.map(({ file, name }, index) => {
    const isNew = tests[index - 1]?.file !== file
    return `${isNew ? `[${file}] ` : ""}${toCode(name)}`
  })
  return `| ${escapePipes(row)} | ${cells.join("<br>")} |`
}

function toCode(name: string): string {
  if (/[`\n]/.test(name)) throw new Error(`can't be shown as code: ${name}`)
  return `\`${escapePipes(name)}\``
}

function escapePipes(text: string): string {
  return text.replaceAll("|", String.raw`\|`)
}
