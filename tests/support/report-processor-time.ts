/**
 * Loaded before a file of tests, in its process: at the end it adds a line to the file that the run reads.
 * Threads load it too, and processes of the test's own that are given the same flags: they are counted with
 * the process that started them, so neither says anything.
 */
import { appendFileSync } from "node:fs"
import process from "node:process"
import { isMainThread } from "node:worker_threads"
import { readProcessorTimeMs } from "./processor-time.ts"

const [, entry = ""] = process.argv
const report = process.env["SAFELIGHT_TEST_PROCESSOR_TIMES"]

if (isMainThread && report !== undefined && /\.test\.m?ts$|\.test\.mjs$/.test(entry)) {
  process.on("exit", () => {
    const { timeOrigin } = performance
    const line = {
      entry,
      startedAt: timeOrigin,
      endedAt: Date.now(),
      processorMs: readProcessorTimeMs(),
    }
    appendFileSync(report, `${JSON.stringify(line)}\n`)
  })
}
