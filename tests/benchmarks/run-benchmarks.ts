/**
 * Runs benchmarks, each in a process of its own, and prints their figures as a table, or with `--json` as one
 * object. `--quick` is passed on: it only shows that a benchmark runs, where that has a smaller size. Names on the
 * command line choose benchmarks; no figure is judged here.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"

/** `folder` holds a file for each of the names. */
export async function runBenchmarks(folder: string, names: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
    },
  })
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`unknown benchmark ${unknown.join(", ")}: one of ${names.join(", ")}\n`)
    process.exit(2)
  }

  const figures: Record<string, number> = {}
  for (const name of positionals.length > 0 ? positionals : names) {
    if (!values.json) process.stderr.write(`${name}…\n`)
    const file = join(folder, `${name}.ts`)
    const words = [...process.execArgv, file, ...(values.quick ? ["--quick"] : [])]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, words)
    // What a benchmark left out, and why.
    process.stderr.write(stderr)
    Object.assign(figures, JSON.parse(stdout))
  }

  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`)
  else {
    const width = Math.max(...Object.keys(figures).map(({ length }) => length))
    for (const [name, value] of Object.entries(figures)) {
      const digits = Math.abs(value) >= 100 ? 0 : 2
      process.stdout.write(`${name.padEnd(width)}  ${value.toFixed(digits).padStart(12)}\n`)
    }
  }
}
