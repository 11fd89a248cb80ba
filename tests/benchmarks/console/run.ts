/** The benchmarks of the console, in Chromium. */
import { runBenchmarks } from "../run-benchmarks.ts"

await runBenchmarks(import.meta.dirname, ["page"])
