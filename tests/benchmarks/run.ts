/** The benchmarks of the engine, its storage and its HTTP API on one machine, over SQLite. */
import { runBenchmarks } from "./run-benchmarks.ts"

await runBenchmarks(import.meta.dirname, [
  "submit",
  "lifecycle",
  "cost",
  "fold",
  "audit",
  "checkers",
  "proofs",
  "archive",
  "tree",
  "http",
  "large-posts",
  "download",
  "slow-readers",
  "rendering",
  "sweep",
  "usage",
  "models",
  "memory",
  "hostile",
])
