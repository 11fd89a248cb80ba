/** The benchmarks of what a hosted API has beside its tasks. */
import { runBenchmarks } from "../run-benchmarks.ts"

await runBenchmarks(import.meta.dirname, ["streams", "webhooks"])
