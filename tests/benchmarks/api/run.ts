/**
 * Runs the benchmarks of what a hosted API has beside its tasks, each in a process of its own, and prints their
 * figures as a table, or with `--json` as one object. `--quick` only shows that they run. Names on the command
 * line choose benchmarks; no figure is judged here.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"

const BENCHMARKS = ["streams", "webhooks"]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
})
const unknown = positionals.filter((name) => !BENCHMARKS.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`unknown benchmark ${unknown.join(", ")}: one of ${BENCHMARKS.join(", ")}\n`)
  process.exit(2)
}

const figures: Record<string, number> = {}
for (const name of positionals.length > 0 ? positionals : BENCHMARKS) {
  const file = join(import.meta.dirname, `${name}.ts`)
  const words = [...process.execArgv, file, ...(values.quick ? ["--quick"] : [])]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  Object.assign(figures, JSON.parse(stdout))
}

if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
else {
  for (const [name, value] of Object.entries(figures)) {
    process.stdout.write(`${name}  ${value.toFixed(Math.abs(value) >= 100 ? 0 : 2)}\n`)
  }
}
