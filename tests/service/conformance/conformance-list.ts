/**
 * The list of the suites that hold each section of the specification, of the HTTP decisions, and of what the
 * HTTP adapter offers beyond both. It is `conformance.json`: by document, section, file and suite, how many
 * tests passed when `npm run conformance:update` counted them; the suite without a name has the file's tests
 * outside of suites. A test that runs in process and over a socket is one. A run judges itself by the list,
 * and counts anew when asked to. A new suite is added by hand, with a 0.
 */
import { join } from "node:path"
import type { PassedTests, Suite } from "../../support/passed-tests.ts"

export const LIST = join(import.meta.dirname, "conformance.json")

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

/** By document, by section. */
type Documents = Readonly<Record<string, Readonly<Record<string, Files>>>>
/** By file, by suite. */
type Files = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Throws if the list is no JSON, or a count is no whole number. */
export function readConformance(list: string): readonly ConformanceSection[] {
  return Object.entries(JSON.parse(list) as Documents).flatMap(([document, sections]) =>
    Object.entries(sections).map(([title, files]) => ({
      document,
      section: title.split(" ")[0] ?? "",
      suites: readSuites(files),
    })),
  )
}

function readSuites(files: Files): readonly CountedSuite[] {
  return Object.entries(files).flatMap(([file, counts]) =>
    Object.entries(counts).map(([name, count]) => {
      if (!Number.isInteger(count)) throw new Error(`no count: ${file}: ${name}: ${count}`)
      return { file, name, count }
    }),
  )
}

/** The list with the counts of `passed`, for the files that ran. */
export function countAnew(list: string, passed: PassedTests, files: readonly string[]): string {
  const counted = mapValues(JSON.parse(list) as Documents, (sections) =>
    mapValues(sections, (suites) =>
      mapValues(suites, (counts, file) =>
        files.includes(file)
          ? mapValues(counts, (_count, name) => passed.namesIn({ file, name }).length)
          : counts,
      ),
    ),
  )
  return `${JSON.stringify(counted, null, 2)}\n`
}

function mapValues<From, To>(
  from: Readonly<Record<string, From>>,
  toValue: (value: From, key: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, toValue(value, key)]))
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
    return `the conformance list has ${count} tests of ${where}, and ${passed.namesIn(suite).length} passed`
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
