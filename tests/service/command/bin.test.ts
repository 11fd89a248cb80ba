/** How the command starts: on which Node, with which flags, and in how many processes. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { test, type TestContext } from "node:test"
import { promisify } from "node:util"
import { BIN, runCommand, startCommand, temporaryFolder } from "./command-process.ts"

/** A package with the real bin and a main of its own, installed or in a repository. */
async function install(t: TestContext, main: string, place = "node_modules/safelight") {
  const folder = await temporaryFolder(t)
  const home = join(folder, place)
  const built = place.includes("node_modules") ? "dist/main.js" : "src/main.ts"
  await mkdir(join(home, "bin"), { recursive: true })
  await mkdir(join(home, "dist"))
  await mkdir(join(home, "src"))
  await cp(BIN, join(home, "bin/safelight.js"))
  await writeFile(join(home, "package.json"), '{"type":"module"}')
  await writeFile(join(home, built), main)
  return { folder, bin: join(home, "bin/safelight.js") }
}

const REPORT = `export async function main(options) {
  console.log(JSON.stringify({ ...options, pid: process.pid, flags: process.execArgv }))
}`

test("installed, a command that needs no flag runs in the process that was started", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const running = startCommand(["keys", "list"], { folder, bin })
  const report = JSON.parse((await running.ended).stdout) as Record<string, unknown>
  assert.deepEqual(report, {
    arguments: ["keys", "list"],
    pid: running.child.pid,
    flags: [],
  })
})

test("serve gets its flag, in the same process where the system can replace one", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const running = startCommand(["serve", "--port", "0"], { folder, bin })
  const report = JSON.parse((await running.ended).stdout) as Record<string, unknown>
  assert.deepEqual(report["flags"], [
    "--max-semi-space-size=16",
    "--heap-growing-percent=100",
    "--initial-heap-size=96",
  ])
  assert.equal(report["pid"], running.child.pid)
})

test("in a repository the sources run, with the condition that finds them", async (t) => {
  const { folder, bin } = await install(t, `${REPORT} const typed: number = 1`, "packages/x")
  const { stdout } = await runCommand(["keys"], { folder, bin })
  const report = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual(report["flags"], ["--conditions=@safelight/source"])
})

test("a link to the command is as good as the command", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  await symlink(bin, join(folder, "safelight"))
  const { stdout } = await runCommand(["x"], { folder, bin: join(folder, "safelight") })
  assert.match(stdout, /"arguments":\["x"\]/)
})

test("flags of the first Node are handed on", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const words = ["--no-deprecation", bin, "serve"]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder })
  const report = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual(report["flags"], [
    "--no-deprecation",
    "--max-semi-space-size=16",
    "--heap-growing-percent=100",
    "--initial-heap-size=96",
  ])
})

/** Makes another Node out of the one that runs the tests. */
function pretend(lines: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(lines)}` }
}

const toOld = (version: string): string =>
  `Object.defineProperty(process.versions, "node", { value: "${version}" })`
const OLD = toOld("18.0.0")
/** Windows has no call that replaces a process. */
const WINDOWS = `Object.defineProperty(process, "platform", { value: "win32" })`

test("an old Node says which one is needed", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const { code, stderr } = await runCommand(["x"], { folder, bin, environment: pretend(OLD) })
  const needed =
    "safelight: needs Node 22.23.4, 24.22.1, 26.10.0 or a later one of its line, and runs on 18.0.0; `npm ci` brings one along, on which `npm start` and `npx safelight` run\n"
  assert.equal(stderr, needed)
  assert.equal(code, 2)
})

const LACKING = ["22.18.0", "22.23.3", "23.11.1", "24.9.0", "24.22.0", "25.9.0", "26.9.0"]
const PATCHED = ["22.23.4", "22.24.0", "24.22.1", "26.10.0", "26.10.1-nightly", "28.0.0"]

test("a Node that lacks security fixes is none to run on, in each of its lines", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const run = async (version: string) =>
    (await runCommand(["x"], { folder, bin, environment: pretend(toOld(version)) })).code
  for (const version of LACKING) assert.equal(await run(version), 2, version)
  for (const version of PATCHED) assert.equal(await run(version), 0, version)
})

test("the Nodes that the command takes are those that the repository names", async () => {
  const manifest = await readFile(join(import.meta.dirname, "../../../package.json"), "utf8")
  const { engines } = JSON.parse(manifest) as { engines: { node: string } }
  assert.equal(engines.node, ">=22.23.4 <23 || >=24.22.1 <25 || >=26.10.0")
})

test("where no process can be replaced, a child gets the flags, and its exit code counts", async (t) => {
  const { folder, bin } = await install(t, `${REPORT} process.exitCode = 7`)
  const running = startCommand(["serve"], { folder, bin, environment: pretend(WINDOWS) })
  const { code, stdout } = await running.ended
  const report = JSON.parse(stdout) as Record<string, unknown>
  assert.equal((report["flags"] as unknown[]).length, 3)
  assert.notEqual(report["pid"], running.child.pid)
  assert.equal(code, 7)
})
