/**
 * How long each file of tests took. Its process says so itself at its end: the run hands the events of one
 * file over only when those of the files before it are done, so when they come tells nothing. Of files
 * that share a process each has the sum of its own tests.
 */
import type { TestEvent } from "node:test/reporters"
import { toTestFile } from "./test-file.ts"

export interface FileTimes {
  /** To be called with every event of the run. */
  note(event: TestEvent): void
  /** The files that took longest, a line each, after their total. */
  describe(count: number): readonly string[]
}

export function createFileTimes(folder: string): FileTimes {
  const times = new Map<string, number>()
  const startedAt = performance.now()

  function noteTest(data: Extract<TestEvent, { type: "test:pass" }>["data"]): void {
    if (data.nesting > 0) return
    const file = toTestFile(folder, data)
    // A suite of a contract, which counts with the file that runs it.
    if (file.startsWith("..")) return
    times.set(file, (times.get(file) ?? 0) + data.details.duration_ms)
  }

  return {
    note({ type, data }) {
      if (type === "test:pass" || type === "test:fail") noteTest(data)
      if (type !== "test:summary" || data.file === undefined) return
      const file = toTestFile(folder, { file: data.file })
      if (!file.startsWith("..")) times.set(file, data.duration_ms)
    },
    describe(count) {
      const longest = [...times].toSorted(([, a], [, b]) => b - a).slice(0, count)
      const total = `${toSeconds(performance.now() - startedAt)} in all; the files that took longest:`
      return [total, ...longest.map(([file, ms]) => `${toSeconds(ms)} ${file}`)]
    },
  }
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(6)} s`
}
