/** The benchmarks of several nodes over one database: what their users notice when one of them is gone. */
import { runBenchmarks } from "../run-benchmarks.ts"

await runBenchmarks(import.meta.dirname, ["node-killed", "nodes", "simulate", "failover"])
