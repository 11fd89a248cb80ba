/**
 * Runs the benchmarks on PostgreSQL, each in a process of its own on one server, and prints their
 * figures as a table, or with `--json` as one object; a figure that was not measured is null there.
 * `--quick` only shows that all of it runs, on fewer tasks than the names say; `--long` adds a million
 * waiting tasks and a million life cycles; `--tasks=20000000` is the size of `large`. Names on the command line choose benchmarks; no figure is judged here.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpus } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { parseArgs } from "node:util"
import { openServer, SERVER_URL } from "./database.ts"
import { note, toTable, type Figures } from "./figures.ts"

const BENCHMARKS = [
  "submit",
  "pooler",
  "replica",
  "tree",
  "open-loop",
  "lifecycles",
  "disk",
  "cost",
  "usage",
  "memory",
]
/** Only with `--long`: loading what waits takes minutes. */
const LONG_BENCHMARKS = ["takings", "large"]
const LONG_FIGURES = { take_1m_ratio: null, take_1m_held_ratio: null }

async function runBenchmark(name: string, serverUrl: string): Promise<Figures> {
  const flags = process.argv.filter((word) => /^--(?:quick|long|tasks=\d+)$/.test(word))
  const file = join(import.meta.dirname, `${name}.ts`)
  const child = spawn(process.execPath, [...process.execArgv, file, ...flags], {
    env: { ...process.env, [SERVER_URL]: serverUrl },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [output, [code]] = await Promise.all([
    text(child.stdout),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`${name} ended with code ${code}`)
  return JSON.parse(output) as Figures
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    tasks: { type: "string" },
  },
})
const known = [...BENCHMARKS, ...LONG_BENCHMARKS]
const unknown = positionals.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  note(`unknown benchmark ${unknown.join(", ")}: one of ${known.join(", ")}`)
  process.exit(2)
}
const usual = values.long ? known : BENCHMARKS
const chosen = positionals.length > 0 ? positionals : usual

const figures: Record<string, number | null> = {}
if (!values.long && positionals.length === 0) Object.assign(figures, LONG_FIGURES)
{
  await using server = await openServer(process.env["SAFELIGHT_TEST_DATABASE_URL"])
  if (!values.json) note(`${cpus().length} processors, Node ${process.versions.node}`)
  for (const name of chosen) {
    if (!values.json) note(`${name}…`)
    Object.assign(figures, await runBenchmark(name, server.url))
  }
}
process.stdout.write(values.json ? `${JSON.stringify(figures)}\n` : toTable(figures))
