/** How long each file of tests took, from the first that is heard of it to the last. */
import type { TestEvent } from "node:test/reporters"
import { toTestFile } from "./test-file.ts"

export interface FileTimes {
  /** To be called with every event of the run, in order. */
  note(event: TestEvent): void
  /** The files that took longest, a line each, after their total. */
  describe(count: number): readonly string[]
}

interface Span {
  readonly startedAt: number
  endedAt: number
}

export function createFileTimes(folder: string): FileTimes {
  const spans = new Map<string, Span>()
  const startedAt = performance.now()
  return {
    note({ type, data }) {
      if (type !== "test:start" && type !== "test:pass" && type !== "test:fail") return
      const file = toTestFile(folder, data)
      const now = performance.now()
      const span = spans.get(file) ?? { startedAt: now, endedAt: now }
      span.endedAt = now
      spans.set(file, span)
    },
    describe(count) {
      const times = Array.from(
        spans,
        ([file, span]) => [file, span.endedAt - span.startedAt] as const,
      )
      const longest = times.toSorted(([, a], [, b]) => b - a).slice(0, count)
      const total = `${toSeconds(performance.now() - startedAt)} in all; the files that took longest:`
      return [total, ...longest.map(([file, ms]) => `${toSeconds(ms)} ${file}`)]
    },
  }
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(6)} s`
}
