/**
 * Which tests of a run have passed, by file and name. A name is the suites around a test and the
 * test itself, joined by " > ". What runs in both worlds, in process and over a socket, has one
 * name here, and counts as passed only where it passed in both.
 */
import type { TestEvent } from "node:test/reporters"
import { toTestFile } from "./test-file.ts"

export interface TestReference {
  /** From the folder of all tests, with forward slashes. */
  readonly file: string
  readonly name: string
}

export interface PassedTests {
  /** To be called with every event of the run, in order. */
  note(event: TestEvent): void
  /** Those of `references` that did not pass: skipped, failed, or not there at all. */
  findMissing(references: readonly TestReference[]): TestReference[]
}

const WORLD = /, (?:in process|over a socket)$/

export function createPassedTests(folder: string): PassedTests {
  /** By file: the names of what is under way, from the outermost suite inwards. */
  const open = new Map<string, string[]>()
  const results = new Map<string, boolean>()

  function toKey({ file, name }: TestReference): string {
    return `${file}\n${name}`
  }

  return {
    note({ type, data }) {
      if (type !== "test:start" && type !== "test:pass" && type !== "test:fail") return
      const file = toTestFile(folder, data)
      const names = open.get(file) ?? []
      names.length = Math.min(names.length, data.nesting)
      names.push(data.name.trim().replace(WORLD, ""))
      open.set(file, names)
      if (type === "test:start" || data.details.type === "suite") return
      const key = toKey({ file, name: names.join(" > ") })
      const isPassed = type === "test:pass" && data.skip === undefined && data.todo === undefined
      results.set(key, isPassed && results.get(key) !== false)
    },
    findMissing: (references) =>
      references.filter((reference) => results.get(toKey(reference)) !== true),
  }
}
