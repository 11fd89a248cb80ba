/** The benchmarks of the doors by which other protocols' clients come in. */
import { runBenchmarks } from "../run-benchmarks.ts"

await runBenchmarks(import.meta.dirname, ["mcp", "openai"])
