/**
 * Which tests of a run have passed, by file and outermost suite. A name is the suites around a test and the
 * test itself, joined by " > ". What runs in both worlds, in process and over a socket, has one
 * name here, and counts as passed only where it passed in both.
 */
import type { TestEvent } from "node:test/reporters"
import { toTestFile } from "./test-file.ts"

export interface Suite {
  /** From the folder of all tests, with forward slashes. */
  readonly file: string
  /** Of an outermost suite; empty for the tests of the file that are in none. */
  readonly name: string
}

export interface PassedTests {
  /** To be called with every event of the run, in order. */
  note(event: TestEvent): void
  /** Of the tests of a suite that passed, each once. What the machine lacks is skipped only outside of CI, and counts there. */
  namesIn(suite: Suite): readonly string[]
}

export interface PassedTestsOptions {
  /** Of all tests. */
  readonly folder: string
  /** A test that was skipped has not passed. */
  readonly isStrict: boolean
}

const WORLD = /, (?:in process|over a socket)$/

export function createPassedTests({ folder, isStrict }: PassedTestsOptions): PassedTests {
  /** By file: the names of what is under way, from the outermost suite inwards. */
  const open = new Map<string, string[]>()
  /** By suite: whether each of its tests passed. */
  const results = new Map<string, Map<string, boolean>>()

  function noteResult(file: string, names: readonly string[], isPassed: boolean): void {
    const suite = { file, name: names.length > 1 ? (names[0] ?? "") : "" }
    const tests = results.get(toKey(suite)) ?? new Map<string, boolean>()
    const name = names.join(" > ")
    results.set(toKey(suite), tests.set(name, isPassed && tests.get(name) !== false))
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
      const isSkipped = data.skip !== undefined && isStrict
      noteResult(file, names, type === "test:pass" && !isSkipped && data.todo === undefined)
    },
    namesIn(suite) {
      const tests = results.get(toKey(suite)) ?? []
      return [...tests].filter(([, isPassed]) => isPassed).map(([name]) => name)
    },
  }
}

function toKey({ file, name }: Suite): string {
  return `${file}\n${name}`
}
