/**
 * The page that lists, by section of the documents, the suites that hold it and how many of their tests
 * passed. The page is the only list: a run reads it, judges itself by it, and counts anew when asked to.
 */
import { join } from "node:path"
import type { PassedTests, Suite } from "../../support/passed-tests.ts"

export const PAGE = join(import.meta.dirname, "README.md")

export interface ConformanceSection {
  readonly document: string
  /** As the document counts: `§2.4`. */
  readonly section: string
  readonly suites: readonly CountedSuite[]
}

export interface CountedSuite extends Suite {
  /** How many of its tests are to pass. */
  readonly count: number
}

const DOCUMENT = /^## (.+)$/
const SECTION = /^### (§\S+) /
const ENTRY = /^- \[(?<file>[^\]]+)\]\(\.\.\/\.\.\/\k<file>\): (?<suites>.+)$/
const SUITE = /^(?<count>\d+)(?: `(?<name>[^`]+)`)?$/

/** Throws if a line of a list can't be read. */
export function readConformance(page: string): readonly ConformanceSection[] {
  const sections: (ConformanceSection & { readonly suites: CountedSuite[] })[] = []
  let document = ""
  for (const line of page.split("\n")) {
    document = DOCUMENT.exec(line)?.[1] ?? document
    const section = SECTION.exec(line)?.[1]
    if (section !== undefined) sections.push({ document, section, suites: [] })
    if (line.startsWith("- ")) sections.at(-1)?.suites.push(...readEntry(line))
  }
  return sections
}

/** The page with the counts of `passed`, for the files that ran. */
export function countAnew(page: string, passed: PassedTests, files: readonly string[]): string {
  const lines = page.split("\n").map((line) => {
    const suites = line.startsWith("- ") ? readEntry(line) : []
    const file = suites[0]?.file
    if (file === undefined || !files.includes(file)) return line
    const counted = suites.map((suite) => ({ ...suite, count: passed.namesIn(suite).length }))
    return `- [${file}](../../${file}): ${counted.map(toText).join(", ")}`
  })
  return lines.join("\n")
}

/** What a run of `files` lacks, each in a sentence. */
export function findShortfalls(
  sections: readonly ConformanceSection[],
  passed: PassedTests,
  files: readonly string[],
): readonly string[] {
  const counted = sections
    .flatMap(({ suites }) => suites)
    .filter(({ file }) => files.includes(file))
  const short = counted.filter((suite) => passed.namesIn(suite).length < suite.count)
  const sentences = short.map((suite) => {
    const { count, file, name } = suite
    const where = name === "" ? file : `${file}: ${name}`
    return `the conformance page lists ${count} tests of ${where}, and ${passed.namesIn(suite).length} passed`
  })
  return [...new Set(sentences)]
}

/** The codes that no passed test of a section names. */
export function findUntestedCodes(
  { suites }: ConformanceSection,
  passed: PassedTests,
  codes: readonly string[],
): readonly string[] {
  const named = new Set(suites.flatMap((suite) => passed.namesIn(suite)).flatMap(toWords))
  return codes.filter((code) => !named.has(code))
}

function toWords(name: string): readonly string[] {
  return name.match(/\w+/g) ?? []
}

function readEntry(line: string): readonly CountedSuite[] {
  const { file, suites } = ENTRY.exec(line)?.groups ?? {}
  if (file === undefined || suites === undefined) throw new Error(`can't be read: ${line}`)
  return suites.split(/, (?=\d+ `|\d+$)/).map((text) => {
    const groups = SUITE.exec(text)?.groups
    if (groups === undefined) throw new Error(`can't be read: ${line}`)
    return { file, name: groups["name"] ?? "", count: Number(groups["count"]) }
  })
}

function toText({ count, name }: CountedSuite): string {
  return name === "" ? `${count}` : `${count} \`${name}\``
}
