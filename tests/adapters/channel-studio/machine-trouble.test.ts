/**
 * What befalls the machine and the processes that render, and is no fault of a request: signals,
 * a full disk, a folder that can't be made or removed, no further process. None of it fails a task.
 */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { once } from "node:events"
import fileSystem, { chmod, mkdir, readdir, utimes, writeFile } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import type { Channel } from "@safelight/core"
import { mountSmallDisk } from "../../faults/small-disk.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { startRenderingHost } from "./rendering-host.ts"
import {
  carryOut,
  collect,
  createTestLog,
  createTestStudio,
  EDIT,
  follow,
  TEXT_TO_IMAGE,
  toPoll,
  toRequest,
  VIDEO,
  type End,
} from "./test-studio.ts"
import { listRenderWorkers as listWorkers } from "../../support/worker-processes.ts"
import { WORKER_SPEECH } from "../../support/worker-speech.ts"

const PICTURE = { prompt: "a fox", size: "square" }
const EDITED = { prompt: "", image_urls: ["https://media.test/image"] }
const UNAVAILABLE = { code: "channel-unavailable", retryable: true }

const { TMPDIR } = process.env
const { execPath } = process

afterEach(() => {
  process.execPath = execPath
  if (TMPDIR === undefined) delete process.env["TMPDIR"]
  else process.env["TMPDIR"] = TMPDIR
})

function drawPicture(channel: Channel): Promise<End> {
  return follow(channel, toRequest(TEXT_TO_IMAGE, PICTURE))
}

const skip = process.platform === "win32" ? "Windows has no such signals and programs" : false

describe("a process that renders", { skip }, () => {
  test("finishes what it renders at signals that reach the whole group of processes", async (t) => {
    const { channel } = createTestStudio(t)
    const request = toRequest(VIDEO, { duration: 4 })
    await channel.poll(toPoll(request, 1))
    const [worker] = listWorkers(process.pid)
    assert.ok(worker !== undefined)
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(worker, signal)
    assert.equal((await collect(await follow(channel, request))).length, 1)
    assert.deepEqual(listWorkers(process.pid), [worker])
  })

  test("is replaced for the same rendering if it was killed while it was idle", async (t) => {
    const { channel } = createTestStudio(t)
    await collect(await drawPicture(channel))
    const [worker] = listWorkers(process.pid)
    assert.ok(worker !== undefined)
    // In the same turn, so that its end is not seen yet.
    process.kill(worker, "SIGKILL")
    assert.equal((await collect(await drawPicture(channel))).length, 1)
  })

  for (const [name, program] of Object.entries({
    "can't be started": undefined,
    "ends before it has begun": "process.exit(3)",
    "has no room on the disk":
      'onOrder(() => { say({ kind: "unavailable", detail: "ENOSPC" }); process.exit() })',
  })) {
    test(`that ${name} is no failure of the task`, async (t) => {
      await using folder = await createTemporaryFolder()
      const log = createTestLog()
      const { channel } = createTestStudio(t, { log })
      const request = toRequest(TEXT_TO_IMAGE, PICTURE)
      process.execPath = join(folder.path, "program")
      if (program !== undefined) await writeProgram(process.execPath, program)
      await assert.rejects(follow(channel, request), UNAVAILABLE)
      assert.deepEqual(
        log.entries.map(({ message }) => message),
        ["rendering postponed"],
      )
      process.execPath = execPath
      assert.equal((await collect(await follow(channel, request))).length, 1)
    })
  }

  test("that finds no file descriptor left is no failure of the task", async () => {
    const script = `
      import { openSync, closeSync } from "node:fs"
      import { createStudioChannel } from "@safelight/channel-studio"
      const studio = createStudioChannel({ media: { open() {} }, workers: 1 })
      const parameters = { prompt: "a fox", size: "square", colors: [] }
      const { signal } = new AbortController()
      const request = { task: "t", account: "a", model: "${TEXT_TO_IMAGE}", parameters, upstreamKey: "k", signal }
      const poll = () => studio.poll({ ...request, operation: { key: "k" }, progress: 99 })
      const files = []
      try { for (;;) files.push(openSync("/dev/null")) } catch {}
      const error = await poll().catch((error) => error)
      for (const file of files) closeSync(file)
      let outcome
      do { outcome = await poll() } while (outcome.kind === "running")
      await studio.close()
      console.log(error.code, outcome.kind)`
    const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", script]
    const command = ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, ...flags]
    const { stdout } = await promisify(execFile)("sh", command, { cwd: import.meta.dirname })
    assert.equal(stdout, "channel-unavailable completed\n")
  })

  test("and was taken over does not have its task rendered until the task's end", async (t) => {
    await using folder = await createTemporaryFolder()
    const log = createTestLog()
    const { channel } = createTestStudio(t, { log })
    process.execPath = join(folder.path, "program")
    const said = `{ kind: "unavailable", detail: "ENOSPC" }`
    await writeProgram(process.execPath, `onOrder(() => say(${said}))`)
    const request = toRequest(TEXT_TO_IMAGE, PICTURE)
    const ends: unknown[] = []
    while (ends.length < 20) {
      const end = await follow(channel, request).catch(({ code }: { code: string }) => code)
      ends.push(end)
      if (typeof end !== "string") break
    }
    const refused = { kind: "refused", code: "internal_error" }
    assert.deepEqual(ends, [...Array<string>(5).fill("channel-unavailable"), refused])
    assert.equal(log.entries.at(-1)?.message, "rendering failed")
  })

  test("and was taken over is believed no other code, and no long words", async (t) => {
    await using folder = await createTemporaryFolder()
    const log = createTestLog()
    const { channel, media } = createTestStudio(t, { log })
    media.files.set("https://media.test/image", Buffer.from("hostile"))
    process.execPath = join(folder.path, "program")
    const secret = "s".repeat(10_000)
    const refusals = ["content_policy_violation", "media_too_small"].map(
      (code) => `say({ kind: "refused", code: "${code}", detail: "${secret}" })`,
    )
    await writeProgram(process.execPath, `onOrder(() => { ${refusals.join(";")} })`)
    const refused = await carryOut(channel, EDIT, EDITED)
    assert.deepEqual(refused, { kind: "refused", code: "media_too_small" })
    assert.equal(log.entries.length, 0)
    const broken = `say({ kind: "broken", detail: "${secret}" })`
    await writeProgram(process.execPath, `onOrder(() => ${broken})`)
    const { channel: second, media: files } = createTestStudio(t, { log })
    files.files.set("https://media.test/image", Buffer.from("hostile"))
    const failed = await carryOut(second, EDIT, EDITED)
    assert.deepEqual(failed, { kind: "refused", code: "internal_error" })
    const [logged] = log.entries
    assert.equal(logged?.fields["detail"], "s".repeat(2_000))
  })
})

describe("the temporary folder", { skip }, () => {
  test("that can't be written to is no failure of the task", async (t) => {
    const log = createTestLog()
    const { channel } = createTestStudio(t, { log })
    const request = toRequest(TEXT_TO_IMAGE, PICTURE)
    process.env["TMPDIR"] = "/dev/null/nowhere"
    await assert.rejects(follow(channel, request), UNAVAILABLE)
    assert.match(JSON.stringify(log.entries), /rendering postponed/)
    delete process.env["TMPDIR"]
    assert.equal((await collect(await follow(channel, request))).length, 1)
  })

  test("that is full is no failure of the task, for its media and its results", async (t) => {
    await using folder = await createTemporaryFolder()
    await using disk = await mountSmallDisk(folder.path)
    if (disk === undefined) return t.skip("this process may not mount a disk")
    const log = createTestLog()
    const { channel, media } = createTestStudio(t, { log })
    media.files.set("https://media.test/image", Buffer.alloc(1_000_000))
    process.env["TMPDIR"] = folder.path
    await disk.fill()
    const request = toRequest(TEXT_TO_IMAGE, PICTURE)
    await assert.rejects(follow(channel, request), UNAVAILABLE)
    await assert.rejects(follow(channel, toRequest(EDIT, EDITED)), UNAVAILABLE)
    const details = log.entries.map(({ fields }) => String(fields["detail"]))
    assert.equal(details.length, 2)
    for (const detail of details) assert.match(detail, /ENOSPC/)
    await disk.free()
    assert.equal((await collect(await follow(channel, request))).length, 1)
  })

  test("of a rendering that can't be removed leaves the result as it is", async (t) => {
    const log = createTestLog()
    const { channel } = createTestStudio(t, { log })
    t.mock.method(fileSystem, "rm", () => Promise.reject(new Error("rm /tmp/secret-name")))
    syncBuiltinESMExports()
    t.after(() => {
      t.mock.restoreAll()
      syncBuiltinESMExports()
    })
    assert.equal((await collect(await drawPicture(channel))).length, 1)
    assert.match(JSON.stringify(log.entries), /temporary folder not removed/)
    assert.doesNotMatch(JSON.stringify(log.entries), /secret-name/)
  })

  test("keeps nothing of a host that was killed once the next one renders", async (t) => {
    await using folder = await createTemporaryFolder()
    process.env["TMPDIR"] = folder.path
    const killed = await killHost()
    const foreign = "safelight-studio-0123456789abcdef-1-1-"
    const kept = [`${foreign}young`, `${foreign}file`, "safelight-other"]
    await mkdir(join(folder.path, `${foreign}old`))
    for (const name of [`${foreign}young`, "safelight-other"]) await mkdir(join(tmpdir(), name))
    await writeFile(join(folder.path, `${foreign}file`), "")
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60
    for (const name of [`${foreign}old`, `${foreign}file`, "safelight-other"]) {
      await utimes(join(folder.path, name), twoDaysAgo, twoDaysAgo)
    }
    // Another studio of a process that runs renders meanwhile, and keeps its own.
    const running = createTestStudio(t)
    await running.channel.poll(toPoll(toRequest(VIDEO, { duration: 30 }), 1))
    const own = (await list()).filter((name) => !killed.includes(name) && !kept.includes(name))
    assert.equal(own.length, 1)
    // As it would be named by an earlier process that had the number of this one.
    if (process.platform === "linux") {
      const earlier = String(own[0]).replace(/-\d+-[^-]+$/, "-1-before")
      await mkdir(join(tmpdir(), earlier))
    }
    const { channel } = createTestStudio(t)
    await collect(await drawPicture(channel))
    assert.deepEqual(await list(), [...kept, ...own].toSorted())
  })
})

async function list(): Promise<readonly string[]> {
  const names = await readdir(tmpdir())
  return names.filter((name) => name.startsWith("safelight-")).toSorted()
}

/** Ends a host in the middle of a rendering; the folders that it left. */
async function killHost(): Promise<readonly string[]> {
  const host = startRenderingHost()
  const exited = once(host, "exit")
  while ((await list()).length === 0) await setTimeout(20)
  host.kill("SIGKILL")
  await exited
  const left = await list()
  assert.equal(left.length, 1)
  return left
}

/** A program that is started as Node would be, and speaks to its host as a worker does. */
async function writeProgram(file: string, source: string): Promise<void> {
  await writeFile(file, `#!${execPath}\n${WORKER_SPEECH}${source}\n`)
  await chmod(file, 0o700)
}
