/**
 * `safelight serve` as a process: what it prints, what it holds, how it starts and stops. The
 * studio's sandbox keeps the tasks small; the API's own behaviour is tested beside the adapter.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { execFile, spawn, spawnSync } from "node:child_process"
import process from "node:process"
import { describe, test } from "node:test"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { MODELS } from "@safelight/core"
import { createService, DEFAULTS } from "safelight"
import {
  BIN,
  parseKey,
  runCommand,
  startCommand,
  startService,
  startServiceProcess,
  temporaryFolder,
} from "./command-process.ts"
import { until } from "../../support/until.ts"
import { parsePrometheusText, readSample } from "../metrics/prometheus-text.ts"

const isWindows = process.platform === "win32"
const PICTURE = "vendor-a/v4.1/flash/text-to-image"

interface Sent {
  readonly url: string
  readonly key: string
}

async function submit({ url, key }: Sent, prompt: string): Promise<string> {
  const response = await fetch(`${url}/v1/tasks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: PICTURE, parameters: { prompt, size: "square" } }),
  })
  assert.equal(response.status, 202)
  return ((await response.json()) as { task_id: string }).task_id
}

async function read({ url, key }: Sent, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
}

/** Waits until the task shows `status`. */
async function reach(sent: Sent, id: string, status: string): Promise<void> {
  for (;;) {
    const response = await read(sent, `/v1/tasks/${id}`)
    const task = (await response.json()) as { status: string }
    if (task.status === status) return
    assert.ok(!["succeeded", "failed"].includes(task.status), `it ended as ${task.status}`)
    // Without a pause, both ends of the call would keep the machine from the task.
    await setTimeout(20)
  }
}

describe("the first start", () => {
  test("an account and a key are made, shown once, and accepted", async (t) => {
    const folder = await temporaryFolder(t)
    const first = await startService(folder)
    const key = parseKey(first.stdout())
    assert.match(first.stdout(), /account "default"/)
    const answer = await read({ url: first.url, key }, "/v1/tasks/none")
    assert.equal(answer.status, 404)
    first.kill("SIGTERM")
    assert.equal((await first.ended).code, 0)

    const second = await startService(folder)
    assert.equal(parseKey(second.stdout()), "")
    assert.match(second.stdout(), /^API keys are shown once; `safelight keys create .*\nlistening/)
    assert.equal((await read({ url: second.url, key }, "/v1/tasks/none")).status, 404)
  })

  test("every printed shell line names the key or the task, and the address", async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout, url } = await startService(folder)
    const lines = stdout()
      .split("\n")
      .filter((line) => line.includes("curl"))
    assert.equal(lines.length, 3 * MODELS.length)
    for (const line of lines) {
      assert.ok(/Bearer \$\(cat '\/\S+\/data\/first-key-\w+'\)/.test(line), line)
      assert.ok(line.includes(`${url}/v1/tasks`), line)
    }
    for (const { id } of MODELS) assert.ok(stdout().includes(`"model":"${id}"`), id)
  })

  test("models of one's own are named, with where to read what they take", async (t) => {
    const folder = await temporaryFolder(t)
    const id = "acme/painter/text-to-image"
    const model = `import { defineModel, fields, text } from "@safelight/core"
      export default defineModel({ id: "${id}", artifacts: "image", logged: [],
        parameters: fields({ prompt: text(1, 9) }),
        estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }) })`
    await writeFile(join(folder, "model.mjs"), model)
    const [built] = DEFAULTS.prices
    const prices = [{ version: "own", models: { ...built.models, [id]: { perImageMicros: 1 } } }]
    const configuration = { models: ["./model.mjs"], prices }
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify(configuration))
    const { stdout, url } = await startService(folder)
    assert.ok(stdout().includes(`\n${url}/docs tells what these take: ${id}\n`), stdout())
  })

  test("the key is in a file for its owner alone where no terminal shows it", async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout } = await startService(folder)
    assert.doesNotMatch(stdout(), /sl_live_/)
    const [path = ""] = /^\/.*first-key-\w+$/m.exec(stdout()) ?? []
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.match(await readFile(path, "utf8"), /^sl_live_\w+\n$/)
  })

  const isScript = spawnSync("script", ["--version"]).status === 0
  const skip = isScript ? false : "script (util-linux) makes the terminal"
  test("the key is shown on a terminal, and written nowhere", { skip }, async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["-qefc", `${process.execPath} ${BIN} serve --port 0`, "/dev/null"]
    const child = spawn("script", words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    for await (const piece of child.stdout.setEncoding("utf8")) {
      text += String(piece)
      if (text.includes("listening on")) break
    }
    const ended = once(child, "close")
    child.kill("SIGTERM")
    await ended
    assert.match(text, /^ {2}sl_live_\w+\r?$/m)
    const kept = await readdir(join(folder, "data"))
    assert.deepEqual(
      kept.filter((name) => name.startsWith("first-key")),
      [],
    )
  })

  test("a data folder that it makes is kept out of version control", async (t) => {
    const folder = await temporaryFolder(t)
    await promisify(execFile)("git", ["init", "-q"], { cwd: folder })
    await startService(folder)
    const status = await promisify(execFile)("git", ["status", "--porcelain"], { cwd: folder })
    assert.equal(status.stdout, "")
    await mkdir(join(folder, "own"))
    await runCommand(["keys", "create", "--account", "ada", "--data", "own"], { folder })
    assert.ok(!(await readdir(join(folder, "own"))).includes(".gitignore"))
  })

  test("the lines of a model, pasted, make its file", async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout } = await startService(folder)
    const lines = /# image edit\n([^#]*)/.exec(stdout())?.[1] ?? ""
    await promisify(execFile)("sh", ["-c", lines], { cwd: folder })
    assert.ok((await readdir(folder)).includes("edited.jpg"))
  })

  test("what it keeps lies under the data folder", async (t) => {
    const folder = await temporaryFolder(t)
    await startService(folder, ["--data", "store"])
    assert.deepEqual(await readdir(folder), ["store"])
    const names = await readdir(join(folder, "store"))
    assert.ok(names.includes("safelight.db") && names.includes("artifacts"), names.join(" "))
  })
})

const isLinux = process.platform === "linux"
const limits = { skip: isLinux ? false : "only Linux tells a process its limits" }
test("too few open files are refused by their number, and few are warned of", limits, async (t) => {
  const folder = await temporaryFolder(t)
  const serve = (limit: number) =>
    startCommand(["-c", `ulimit -n ${limit}; exec ${process.execPath} ${BIN} serve --port 0`], {
      folder,
      node: "sh",
      bin: "-e",
    })
  const { code, stderr } = await serve(100).ended
  assert.match(
    stderr,
    /^safelight: only 100 files may be open at once, .* `ulimit -n 4096`[^\n]*\n$/,
  )
  assert.equal(code, 2)
  const running = serve(600)
  const [, url = ""] = await running.printed(/^listening on (http:\/\/\S+)$/m)
  // What it wrote before to another pipe may be read after.
  await until(() => /"limit":600.*"low open files limit"/.test(running.stderr()))
  // A third of them is for connections, so that strangers' leave what the service needs.
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 230 }, () =>
    connect(Number(port), hostname).on("error", () => {}),
  )
  const countClosed = (): number => sockets.filter(({ closed }) => closed).length
  while (countClosed() < 30) await setTimeout(20)
  await setTimeout(200)
  assert.equal(countClosed(), 30)
  for (const socket of sockets) socket.destroy()
  while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
    await setTimeout(20)
  }
})

describe("listening", () => {
  test("a request right after the line is answered, and the service is ready", async (t) => {
    const { url } = await startService(await temporaryFolder(t))
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
  })

  test("an IPv6 address is printed in brackets", async (t) => {
    const { url } = await startService(await temporaryFolder(t), ["--host", "::1"])
    assert.match(url, /^http:\/\/\[::1\]:\d+$/)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
  })

  test("on every interface, the lines to paste name one that can be reached", async (t) => {
    const folder = await temporaryFolder(t)
    const { url, stdout, stderr } = await startService(folder, ["--host", "0.0.0.0"])
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    assert.match(stdout(), /curl .* http:\/\/127\.0\.0\.1:\d+\/v1\/tasks /)
    assert.match(stderr(), /publicUrl missing/)
  })

  test("a listener for /metrics alone is named before, and scraped there", async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout } = await startService(folder, ["--metrics-port", "0"])
    const [, address = ""] = /^metrics on (http:\/\/\S+)\nlistening on /m.exec(stdout()) ?? []
    const families = parsePrometheusText(await (await fetch(address)).text())
    assert.equal(readSample(families, "safelight_storage_up"), 1)
  })

  test("no other is named where the API's own listener has /metrics", async (t) => {
    const { url, stdout } = await startService(await temporaryFolder(t), ["--metrics"])
    assert.equal((await fetch(`${url}/metrics`)).status, 200)
    assert.doesNotMatch(stdout(), /metrics on/)
  })

  test("content_url begins with the public URL", async (t) => {
    const folder = await temporaryFolder(t)
    const words = ["--sandbox", "--public-url", "https://media.example/base/"]
    const { url, stdout } = await startService(folder, words)
    const sent = { url, key: parseKey(stdout()) }
    const id = await submit(sent, "[studio: at-once] fog")
    await reach(sent, id, "succeeded")
    const response = await read(sent, `/v1/tasks/${id}/artifacts`)
    const { artifacts } = (await response.json()) as { artifacts: { content_url: string }[] }
    const expected = `https://media.example/base/v1/tasks/${id}/artifacts/image_1/content`
    assert.equal(artifacts[0]?.content_url, expected)
  })
})

describe("what can't be served is one line and a code that is not zero", () => {
  async function refused(
    folder: string,
    words: readonly string[] = [],
    more: { readonly isOwnProcess?: true } = {},
  ) {
    const end = await runCommand(["serve", "--port", "0", ...words], { folder, ...more })
    assert.equal(end.stdout, "")
    assert.match(end.stderr, /^safelight: [^\n]+\n$/)
    assert.notEqual(end.code, 0)
    assert.doesNotMatch(end.stderr, /internal error/)
    return end
  }

  test("a taken port", async (t) => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const folder = await temporaryFolder(t)
    const { stderr, code } = await refused(folder, ["--port", String(port)])
    assert.match(stderr, new RegExp(`${port}`))
    assert.equal(code, 1)
    // Nothing stays locked behind it, and no key was made for a service that never was.
    const next = await startService(folder)
    assert.notEqual(parseKey(next.stdout()), "")
  })

  test("a folder that is served already", async (t) => {
    const folder = await temporaryFolder(t)
    await startService(folder)
    const { stderr, code } = await refused(folder, [], { isOwnProcess: true })
    assert.match(stderr, /another process serves this data folder/)
    assert.equal(code, 1)
  })

  test("a data folder that can't be written", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "file"), "")
    const { stderr, code } = await refused(folder, ["--data", "file/data"])
    assert.match(stderr, /can't be written/)
    assert.equal(code, 1)
  })

  test("a folder for artifacts that can't be made", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "artifacts"), "")
    const { stderr, code } = await refused(folder, ["--data", "."])
    assert.match(stderr, /artifacts can't be made \(EEXIST\)/)
    assert.equal(code, 1)
  })

  test("a host that is not of this machine", async (t) => {
    const folder = await temporaryFolder(t)
    // Reserved for documentation: no machine has it (RFC 5737).
    const { stderr, code } = await refused(folder, ["--host", "192.0.2.1"])
    assert.match(stderr, /cannot listen on host 192\.0\.2\.1/)
    assert.equal(code, 2)
  })

  test("a file that is no database", async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, "safelight.db")
    await writeFile(file, "not a database at all".repeat(1000), { mode: 0o600 })
    const { stderr, code } = await refused(folder, ["--data", "."])
    assert.match(stderr, /damaged, can't be read or is no database/)
    assert.equal(code, 1)
  })

  test("a piece that refuses its setting", async (t) => {
    const folder = await temporaryFolder(t)
    const file = { media: { allowedAddresses: ["10.0.0.0"] } }
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify(file))
    const { stderr, code } = await refused(folder)
    assert.match(stderr, /allowedAddresses/)
    assert.equal(code, 2)
  })

  test("a wrong flag", async (t) => {
    const { stderr, code } = await refused(await temporaryFolder(t), ["--prot", "1"])
    assert.match(stderr, /unknown option '--prot'/)
    assert.equal(code, 2)
  })

  for (const role of ["api", "worker"]) {
    test(`artifacts that ${role === "api" ? "an api" : "a worker"} would keep to itself`, async (t) => {
      const words = ["--role", role, "--database", "postgres://nobody@127.0.0.1:1/none"]
      const { stderr, code } = await refused(await temporaryFolder(t), words)
      assert.match(stderr, new RegExp(`role: "${role}" needs artifacts`))
      assert.match(stderr, /--artifacts or SAFELIGHT_ARTIFACTS_URL /)
      assert.equal(code, 2)
    })
  }

  test("SAFELIGHT_DEBUG=1 adds where it came from", async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, "file"), "")
    const environment = { SAFELIGHT_DEBUG: "1" }
    const words = ["serve", "--data", "file/data"]
    const { stderr } = await runCommand(words, { folder, environment })
    assert.match(stderr, /^safelight: [^\n]+\n(?:.|\n)*\n {4}at /)
  })
})

describe("stopping", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} ends it with 0 and gives the folder up`, async (t) => {
      const folder = await temporaryFolder(t)
      const running = await startServiceProcess(folder)
      running.kill(signal)
      const { code, stderr } = await running.ended
      assert.equal(code, 0)
      assert.match(stderr, /"msg":"stopped"/)
      await startService(folder)
    })
  }

  test("a second signal ends it at once", async (t) => {
    const folder = await temporaryFolder(t)
    const running = await startServiceProcess(folder, ["--sandbox"])
    const sent = { url: running.url, key: parseKey(running.stdout()) }
    // Without the second signal this would take all of stopGraceMs.
    await reach(sent, await submit(sent, "[studio: stall]"), "running")
    running.kill("SIGTERM")
    // Signals of one kind that wait for a busy process count once: the first must have been seen.
    while (!running.stderr().includes('"msg":"stop requested"')) {
      await once(running.child.stderr as NodeJS.ReadableStream, "data")
    }
    running.kill("SIGTERM")
    assert.equal((await running.ended).code, 143)
  })

  test(
    "an error that nothing caught is logged, and ends it with 1",
    { skip: isWindows },
    async (t) => {
      const folder = await temporaryFolder(t)
      const bug = join(folder, "bug.mjs")
      await writeFile(bug, 'process.once("SIGUSR2", () => { throw new Error("a bug") })')
      const environment = { NODE_OPTIONS: `--import=${bug}` }
      const running = await startServiceProcess(folder, [], { environment })
      running.kill("SIGUSR2")
      const { code, stderr } = await running.ended
      assert.match(stderr, /"level":50.*"msg":"uncaught error"/)
      assert.equal(code, 1)
    },
  )

  test("under npm a signal that comes twice counts once", async (t) => {
    const environment = { npm_lifecycle_event: "start" }
    const running = await startServiceProcess(await temporaryFolder(t), [], { environment })
    running.kill("SIGINT")
    running.kill("SIGTERM")
    assert.equal((await running.ended).code, 0)
  })

  test("under npm it stops when the shell between is ended", { skip: isWindows }, async (t) => {
    const folder = await temporaryFolder(t)
    const line = `"${process.execPath}" "${BIN}" serve --port 0; true`
    const environment = { npm_lifecycle_event: "start" }
    // The first word of a command is its program; here that is the shell.
    const running = startCommand([line], { folder, environment, node: "sh", bin: "-c" })
    await running.printed(/^listening/m)
    running.kill("SIGTERM")
    assert.match((await running.ended).stderr, /"msg":"stopped"/)
  })

  test("what runs past the grace is handed back and goes on after the next start", async (t) => {
    const folder = await temporaryFolder(t)
    const file = JSON.stringify({ stopGraceMs: 0 })
    await writeFile(join(folder, "safelight.config.json"), file)
    const first = await startServiceProcess(folder, ["--sandbox"])
    const key = parseKey(first.stdout())
    const sent = { url: first.url, key }
    const id = await submit(sent, "[studio: delay 1s] fog")
    await reach(sent, id, "running")
    first.kill("SIGTERM")
    assert.equal((await first.ended).code, 0)
    const second = await startService(folder, ["--sandbox"])
    await reach({ url: second.url, key }, id, "succeeded")
  })

  test("a service that was killed leaves its tasks to the next one", async (t) => {
    const folder = await temporaryFolder(t)
    const first = await startServiceProcess(folder, ["--sandbox"])
    const key = parseKey(first.stdout())
    const id = await submit({ url: first.url, key }, "[studio: delay 1s] fog")
    first.kill("SIGKILL")
    await first.ended
    const second = await startService(folder, ["--sandbox"])
    await reach({ url: second.url, key }, id, "succeeded")
  })
})

test("the log is JSON and holds no prompt, URL or key", async (t) => {
  const folder = await temporaryFolder(t)
  const running = await startServiceProcess(folder, ["--sandbox"])
  const key = parseKey(running.stdout())
  const sent = { url: running.url, key }
  const id = await submit(sent, "[studio: crash] unmistakable words")
  await reach(sent, id, "failed")
  running.kill("SIGTERM")
  const { stderr } = await running.ended
  const lines = stderr.trimEnd().split("\n")
  for (const line of lines) assert.equal(typeof JSON.parse(line), "object")
  assert.ok(lines.length > 2, "the crash was not logged")
  for (const secret of ["unmistakable", "http://", key, key.slice(-38)]) {
    assert.ok(!stderr.includes(secret), secret)
  }
})

test("a reader that never reads the log does not stop the service", async (t) => {
  const folder = await temporaryFolder(t)
  const running = startCommand(["serve", "--port", "0"], { folder })
  running.child.stderr?.pause()
  const [, url = ""] = await running.printed(/^listening on (\S+)$/m)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  running.kill("SIGTERM")
  const [code] = (await once(running.child, "exit")) as [number]
  running.child.stderr?.resume()
  assert.equal(code, 0)
})

test("without a process: a service is made, used and stopped, twice over", async (t) => {
  const data = await temporaryFolder(t)
  const configuration = { ...DEFAULTS, port: 0, data, logLevel: "silent" as const }
  const service = await createService({ configuration })
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  await Promise.all([service.stop(), service.stop()])
  await assert.rejects(fetch(`${service.url}/readyz`))
  const again = await createService({ configuration })
  await again.stop()
})
