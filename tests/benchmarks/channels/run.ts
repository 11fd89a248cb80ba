/**
 * Runs the benchmarks of channels, each in a process of its own with the provider in another, and prints
 * their figures as a table, or with `--json` as one object. `--quick` only shows that they run; every
 * size has a flag (`--tasks`, `--interval-ms`, `--seconds`, `--files`, `--mib`, `--rounds`,
 * `--most-mib`, `--channels`, `--choices`). Names on the command line choose benchmarks; no figure is
 * judged here.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { note, toTable, type Figures } from "../postgres/figures.ts"

const BENCHMARKS = ["route", "collect", "in-flight"]

const words = process.argv.slice(2)
const chosen = words.filter((word) => BENCHMARKS.includes(word))
const flags = words.filter((word) => !BENCHMARKS.includes(word) && word !== "--json")
const isJson = words.includes("--json")

const figures: Record<string, number | null> = {}
for (const name of chosen.length > 0 ? chosen : BENCHMARKS) {
  if (!isJson) note(`${name}…`)
  const file = join(import.meta.dirname, `${name}.ts`)
  const child = spawn(process.execPath, [...process.execArgv, file, ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exit = once(child, "exit") as Promise<[number | null]>
  const [output, [code]] = await Promise.all([text(child.stdout), exit])
  if (code !== 0) throw new Error(`${name} ended with code ${code}`)
  Object.assign(figures, JSON.parse(output) as Figures)
}
process.stdout.write(isJson ? `${JSON.stringify(figures)}\n` : toTable(figures))
