/**
 * How long each file of tests took, and each process of the run by processor time and by when it ran: where
 * the cores were idle can be read from that. Its process says so itself at its end: the run hands the events
 * of one file over only when those of the files before it are done, so when they come tells nothing. Of files
 * that share a process each has the sum of its own tests.
 */
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, relative } from "node:path"
import type { TestEvent } from "node:test/reporters"
import { readProcessorTimeMs } from "./processor-time.ts"
import { toTestFile } from "./test-file.ts"

export interface FileTimes {
  /** To be called with every event of the run. */
  note(event: TestEvent): void
  /** The files that took longest and the processes that took most, a line each, after their totals. */
  describe(count: number): readonly string[]
}

export interface FileTimesOptions {
  /** Of all tests. */
  readonly folder: string
  /** What `report-processor-time.ts` writes, in the folder of the files that suites share. */
  readonly report: string
}

export function createFileTimes({ folder, report }: FileTimesOptions): FileTimes {
  const times = new Map<string, number>()
  const startedAt = Date.now()

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
      const ranMs = Date.now() - startedAt
      const processorMs = readProcessorTimeMs()
      const share = Math.round((100 * processorMs) / (ranMs * availableParallelism()))
      return [
        `${toSeconds(ranMs)} in all; the files that took longest:`,
        ...toLongest(times, count),
        `${toSeconds(processorMs)} of processor time, ${share}% of all; the processes that took most:`,
        ...describeProcesses(readProcesses(folder, report), startedAt, count),
      ]
    },
  }
}

/** What `report-processor-time.ts` writes of a process: moments, and the file it ran or the suite of those that shared it. */
interface ProcessTimes {
  readonly entry: string
  readonly startedAt: number
  readonly endedAt: number
  readonly processorMs: number
}

function readProcesses(folder: string, report: string): readonly ProcessTimes[] {
  const lines = existsSync(report) ? readFileSync(report, "utf8").trim().split("\n") : []
  return lines.map((line) => {
    const times = JSON.parse(line) as ProcessTimes
    const file = toTestFile(folder, { file: times.entry })
    return {
      ...times,
      entry: file.startsWith("..") ? relative(dirname(report), times.entry) : file,
    }
  })
}

function describeProcesses(
  processes: readonly ProcessTimes[],
  beganAt: number,
  count: number,
): string[] {
  const longest = processes.toSorted((a, b) => b.processorMs - a.processorMs).slice(0, count)
  return longest.map(({ endedAt, entry, processorMs, startedAt }) => {
    const [from, to] = [startedAt, endedAt].map((moment) => toSeconds(moment - beganAt).trim())
    return `${toSeconds(processorMs)} ${entry}, from ${from} to ${to}`
  })
}

function toLongest(times: ReadonlyMap<string, number>, count: number): string[] {
  const longest = [...times].toSorted(([, a], [, b]) => b - a).slice(0, count)
  return longest.map(([file, ms]) => `${toSeconds(ms)} ${file}`)
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(6)} s`
}
