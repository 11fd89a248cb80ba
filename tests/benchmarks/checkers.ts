/**
 * `check_events_per_s`, `check_py_events_per_s`: events that `audit check` and check.py judge in a second of processor
 * time, over a file of 200,000 events of 40,000 tasks; `check_mb`, `check_py_mb`: the most memory that each had. Each
 * is a process of its own, and its start is counted. Without Python its figures are missing.
 */
import { execFile } from "node:child_process"
import { createReadStream, createWriteStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { parseArgs, promisify } from "node:util"
import { checkLog, exportStreams } from "@safelight/audit"
import { sha256 } from "@safelight/engine"
import { findPython } from "../support/run-python.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { median, report } from "./measure.ts"
import { createSource, EVENTS, NOW } from "./sample-source.ts"

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    /** In a process of its own: the file to be checked. */
    check: { type: "string" },
  },
})
const TASKS = values.quick ? 400 : 40_000
const ROUNDS = values.quick ? 1 : 3
const CHECKER = join(import.meta.dirname, "../../packages/audit/check.py")

/** Runs check.py as a program, and prints what it used behind what it prints. */
const MEASURED = `
import json, resource, runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    used = resource.getrusage(resource.RUSAGE_SELF)
    kib = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    print(json.dumps({"code": end.code, "seconds": used.ru_utime + used.ru_stime, "kib": kib}))
`

interface Used {
  /** 0 if the file is whole. */
  readonly code: number
  /** Of processor time. */
  readonly seconds: number
  readonly kib: number
}

async function checkByOurs(path: string): Promise<Used> {
  const { outcome } = await checkLog({ open: () => createReadStream(path), digest: sha256 })
  const { maxRSS: kib, systemCPUTime, userCPUTime } = process.resourceUsage()
  return { code: outcome === "whole" ? 0 : 1, seconds: (systemCPUTime + userCPUTime) / 1e6, kib }
}

async function run(program: string, words: readonly string[]): Promise<Used> {
  const { stdout } = await promisify(execFile)(program, words)
  const used = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Used
  if (used.code !== 0) throw new Error(`the sample log is not whole: ${stdout.slice(0, 1_000)}`)
  return used
}

async function measure(program: string, words: readonly string[]) {
  const rounds: Used[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await run(program, words))
  const rates = rounds.map(({ seconds }) => (TASKS * EVENTS) / seconds)
  return { rate: median(rates), mb: median(rounds.map(({ kib }) => kib)) / 1024 }
}

async function compare(): Promise<Readonly<Record<string, number>>> {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "log.ndjson")
  const exporting = { storage: createSource(TASKS), digest: sha256, now: NOW, isSealed: true }
  await pipeline(Readable.from(exportStreams(exporting)), createWriteStream(path))
  const self = [...process.execArgv, import.meta.filename, "--check", path]
  const ours = await measure(process.execPath, self)
  const figures = { check_events_per_s: ours.rate, check_mb: ours.mb }
  const python = findPython("resource")
  if (python === undefined) {
    process.stderr.write("no Python: check.py is not measured\n")
    return figures
  }
  const theirs = await measure(python, ["-c", MEASURED, CHECKER, path])
  return { ...figures, check_py_events_per_s: theirs.rate, check_py_mb: theirs.mb }
}

if (values.check === undefined) report(await compare())
else process.stdout.write(`${JSON.stringify(await checkByOurs(values.check))}\n`)
