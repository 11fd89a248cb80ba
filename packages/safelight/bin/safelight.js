#!/usr/bin/env node
/**
 * The `safelight` command as a shell starts it, on whatever Node is at hand: plain JavaScript that
 * any Node from 18 on can parse, so that one that is too old says which is needed. If this Node lacks flags, it
 * starts again with them: in the same process by `execve`, or as a child on Windows, which has no such call.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

/**
 * Of each line the lowest that `engines` of the repository allows: older ones lack security fixes.
 * Lines between these are past their end; later ones are new enough.
 */
const OLDEST_NODES = [
  [22, 23, 4],
  [24, 22, 1],
  [26, 10, 0],
]

const self = fileURLToPath(import.meta.url)
const folder = dirname(dirname(self))
/** In the repository the sources run as they are; Node refuses to strip types in node_modules. */
const isRepository =
  !self.includes(`${sep}node_modules${sep}`) && existsSync(join(folder, "src", "main.ts"))

const missing = toFlags().filter((flag) => !process.execArgv.includes(flag))

if (!isNewEnough()) refuse()
else if (missing.length === 0) await run()
else startAgain()

function isNewEnough() {
  const [major, ...found] = process.versions.node.split(".").map((part) => Number.parseInt(part))
  const oldest = OLDEST_NODES.find(([line]) => line === major)
  if (oldest === undefined) return major > OLDEST_NODES.at(-1)[0]
  const [, minor, patch] = oldest
  return found[0] > minor || (found[0] === minor && found[1] >= patch)
}

function toMajor() {
  return Number(process.versions.node.split(".")[0])
}

function toFlags() {
  const flags = isRepository ? ["--conditions=@safelight/source"] : []
  // Older ones call their SQLite experimental, on the standard error that is the log's.
  if (toMajor() < 26) flags.push("--disable-warning=ExperimentalWarning")
  // Keep the young generation small under load, and the old one at twice what is alive: V8 lets it grow
  // to four times, and 10,000 tasks in flight would take 520 MB instead of 360. But collect no sooner than at
  // 96 MB in all: a service with little alive would collect each second, which its slowest answers show. A
  // short command gains nothing.
  const memory = [
    "--max-semi-space-size=16",
    "--heap-growing-percent=100",
    "--initial-heap-size=96",
  ]
  return process.argv[2] === "serve" ? [...flags, ...memory] : flags
}

async function run() {
  const { main } = await import(isRepository ? "../src/main.ts" : "../dist/main.js")
  await main({ arguments: process.argv.slice(2) })
}

function startAgain() {
  const words = [...process.execArgv, ...missing, self, ...process.argv.slice(2)]
  if (process.platform !== "win32") process.execve(process.execPath, [process.execPath, ...words])
  // The console sends its signals to the child as well; the child decides, and ends when this process does.
  for (const signal of ["SIGINT", "SIGBREAK", "SIGHUP"]) process.on(signal, () => {})
  process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1
}

function refuse() {
  const needed = OLDEST_NODES.map((parts) => parts.join(".")).join(", ")
  const found = process.versions.node
  process.stderr.write(
    `safelight: needs Node ${needed} or a later one of its line, and runs on ${found}; \`npm ci\` brings one along, on which \`npm start\` and \`npx safelight\` run\n`,
  )
  process.exitCode = 2
}
