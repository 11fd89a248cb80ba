/**
 * The filesystem adapter: the contract, then what only a file system can do to it. Crashes are real
 * ones, of a child process; what a power cut would leave is judged by `createDisk`, which knows
 * that a name is durable only once its folder was synced after the name came about.
 */
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { hash, randomUUID } from "node:crypto"
import * as nodeFiles from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { Readable } from "node:stream"
import { describe, it, type TestContext } from "node:test"
import {
  createFilesystemArtifacts,
  DEFAULTS,
  type FileSystem,
  type OpenFile,
} from "@safelight/artifacts-filesystem"
import { isSafelightError, type ArtifactStorage, type SafelightErrorCode } from "@safelight/core"
import {
  describeArtifactRestore,
  describeArtifactStorage,
  describeArtifactSweep,
  type ArtifactStorageFixture,
} from "@safelight/testkit"
import * as fc from "fast-check"

async function createFixture(): Promise<ArtifactStorageFixture> {
  const folder = await nodeFiles.mkdtemp(join(tmpdir(), "safelight-artifacts-"))
  const artifacts = createFilesystemArtifacts({ folder })
  return { artifacts, cleanUp: () => nodeFiles.rm(folder, { recursive: true }) }
}

describeArtifactStorage("the filesystem adapter", createFixture)
describeArtifactSweep("the filesystem adapter", createFixture)
describeArtifactRestore("the filesystem adapter", createFixture)

describe("the mark of a folder", () => {
  const MARK = join(".safelight", "mark")

  it("is durable once it is told, with the folder that it lies in", async (t) => {
    const base = await createFolder(t)
    const folder = join(base, "not", "there", "yet")
    const disk = createDisk()
    const artifacts = createFilesystemArtifacts({ folder, files: disk.files })
    assert.equal(await artifacts.mark("mark-1"), "mark-1")
    const moved = disk.list().findIndex((text) => text.startsWith("move "))
    const incoming = disk.list()[moved]?.slice("move ".length) ?? assert.fail("it was moved")
    assert.deepEqual(disk.list().slice(moved - 3), [
      `write ${join(incoming, "mark")}`,
      `sync ${join(incoming, "mark")}`,
      `sync ${incoming}`,
      `move ${incoming}`,
      `name ${join(folder, ".safelight")}`,
      `sync ${folder}`,
    ])
    assert.equal(await nodeFiles.readFile(join(folder, MARK), "utf8"), "mark-1\n")
    assert.deepEqual(await nodeFiles.readdir(join(folder, ".incoming")), [])
  })

  it("is one for all who start at once, each with an adapter of its own", async (t) => {
    const folder = await createFolder(t)
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        createFilesystemArtifacts({ folder }).mark(`mark-${index}`),
      ),
    )
    assert.equal(new Set(told).size, 1)
    assert.deepEqual(await nodeFiles.readdir(join(folder, ".incoming")), [])
    assert.equal(await createFilesystemArtifacts({ folder }).sweepIncoming(Infinity), 0)
    assert.equal(await createFilesystemArtifacts({ folder }).mark(), told[0])
  })

  it("is unavailable where something else stands in its place, which stays", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    await nodeFiles.mkdir(join(folder, ".safelight"))
    await nodeFiles.writeFile(join(folder, ".safelight", "notes"), "")
    await rejectsWith(artifacts.mark("mark-1"), "artifacts-unavailable")
    for (const text of ["", "two\nlines\n", "no line break", `${"x".repeat(101)}\n`, "é\n"]) {
      await nodeFiles.writeFile(join(folder, MARK), text)
      await assert.rejects(artifacts.mark("mark-1"), /\.safelight\/mark in it is damaged/)
    }
    await nodeFiles.rm(join(folder, MARK))
    await nodeFiles.symlink(join(folder, ".safelight", "notes"), join(folder, MARK))
    await rejectsWith(artifacts.mark("mark-1"), "artifacts-unavailable")
    assert.equal(await artifacts.mark(), undefined)
  })

  it("leaves nothing where it can't be written", async (t) => {
    const folder = await createFolder(t)
    const full = Object.assign(new Error("full"), { code: "ENOSPC", syscall: "write" })
    const opening = wrapOpen(() => ({ write: () => Promise.reject(full) }))
    const artifacts = createFilesystemArtifacts({ folder, files: { ...nodeFiles, ...opening } })
    await assert.rejects(artifacts.mark("mark-1"), /The artifact folder failed: ENOSPC/)
    assert.deepEqual(await nodeFiles.readdir(join(folder, ".incoming")), [])
    assert.equal(await artifacts.mark(), undefined)
  })

  it("leaves a folder that a sweep removes if its process is killed as it writes it", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    await artifacts.check()
    const incoming = join(folder, ".incoming")
    const [empty, written, foreign] = [randomUUID(), randomUUID(), randomUUID()]
    for (const name of [empty, written, foreign]) await nodeFiles.mkdir(join(incoming, name))
    await nodeFiles.writeFile(join(incoming, written, "mark"), "mark-1\n")
    await nodeFiles.writeFile(join(incoming, foreign, "notes"), "")
    assert.equal(await artifacts.sweepIncoming(Date.now()), 0)
    assert.equal((await nodeFiles.readdir(incoming)).length, 3)
    assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 2)
    assert.deepEqual(await nodeFiles.readdir(incoming), [foreign])
  })

  it("can't be told where the folder went away", async (t) => {
    const folder = join(await createFolder(t), "mounted")
    const artifacts = createFilesystemArtifacts({ folder })
    await artifacts.mark("mark-1")
    await nodeFiles.rm(folder, { recursive: true })
    await rejectsWith(artifacts.mark(), "artifacts-unavailable")
    await rejectsWith(artifacts.mark("mark-2"), "artifacts-unavailable")
  })
})

describe("durability on a file system", () => {
  it("a put syncs the file before its rename, and every name up to the first old folder after it", async (t) => {
    const base = await createFolder(t)
    const folder = join(base, "not", "there", "yet")
    const disk = createDisk()
    const artifacts = createFilesystemArtifacts({ folder, files: disk.files })
    const { locator } = await put(artifacts, 200_000)
    disk.assertDurable(base, join(folder, locator))
    const again = await put(artifacts, 10)
    disk.assertDurable(base, join(folder, again.locator))
  })

  it("puts at once don't rely on folders of each other that are not synced yet", async (t) => {
    const base = await createFolder(t)
    const disk = createDisk()
    const artifacts = createFilesystemArtifacts({ folder: base, files: disk.files })
    const puts = Array.from({ length: 12 }, async (_, index) => {
      const { locator } = await put(artifacts, 100, { key: `k${index % 3}` })
      disk.assertDurable(base, join(base, locator))
    })
    await Promise.all(puts)
  })

  it("a put doesn't share a sync that began before its rename", async (t) => {
    const base = await createFolder(t)
    const gate = Promise.withResolvers<void>()
    const syncing = Promise.withResolvers<void>()
    const disk = createDisk((path) => {
      if (basename(path) !== "k") return undefined
      syncing.resolve()
      return gate.promise
    })
    let renames = 0
    const artifacts = createFilesystemArtifacts({
      folder: base,
      files: disk.files,
      onStep(step) {
        if (step === "renamed") renames += 1
        // By then the second put waits for its folders.
        if (renames === 2) setImmediate(gate.resolve)
      },
    })
    const first = put(artifacts, 10)
    await syncing.promise
    const { locator } = await put(artifacts, 10)
    disk.assertDurable(base, join(base, locator))
    await first
  })

  it("a put syncs the folders of one that died before it did", async (t) => {
    const base = await createFolder(t)
    const disk = createDisk()
    const dying = Promise.withResolvers<void>()
    const first = createFilesystemArtifacts({
      folder: base,
      files: disk.files,
      onStep(step) {
        if (step !== "renamed") return
        dying.resolve()
        return new Promise(() => {})
      },
    })
    void put(first, 10)
    await dying.promise
    const second = createFilesystemArtifacts({ folder: base, files: disk.files })
    const { locator } = await put(second, 10, { key: "other" })
    disk.assertDurable(base, join(base, locator))
  })

  it("a removal is synced too", async (t) => {
    const base = await createFolder(t)
    const disk = createDisk()
    const artifacts = createFilesystemArtifacts({ folder: base, files: disk.files })
    const { locator } = await put(artifacts, 10)
    await artifacts.remove(locator)
    const shard = join(base, locator.split("/")[0] ?? "")
    assert.equal(disk.last(), `sync ${shard}`)
    assert.deepEqual(await nodeFiles.readdir(shard), [])
  })

  for (const step of ["written", "synced"]) {
    it(`a crash once the body is ${step} leaves nothing but a file that a sweep removes`, async (t) => {
      const folder = await createFolder(t)
      crashAt(folder, step)
      const artifacts = createFilesystemArtifacts({ folder })
      assert.deepEqual(await artifacts.list("t"), [])
      const [left] = await listIncoming(folder)
      const { mtimeMs } = await nodeFiles.stat(join(folder, ".incoming", left ?? "none"))
      const staleAt = Math.ceil(mtimeMs) + DEFAULTS.staleAfterMs
      assert.equal(await artifacts.sweepIncoming(staleAt - 10), 0)
      assert.equal(await artifacts.sweepIncoming(staleAt), 1)
      assert.deepEqual(await listIncoming(folder), [])
    })
  }

  it("a crash once the file is renamed leaves a whole artifact that only a list knows", async (t) => {
    const folder = await createFolder(t)
    crashAt(folder, "renamed")
    const artifacts = createFilesystemArtifacts({ folder })
    assert.deepEqual(await listIncoming(folder), [])
    const [orphan, ...others] = await artifacts.list("t")
    assert.deepEqual(others, [])
    const reader = await artifacts.open({ locator: orphan ?? "none" })
    assert.equal(reader.totalBytes, 100_000)
    await reader.close()
  })
})

describe("a failing file system", () => {
  const fileCalls = ["open", "write", "sync", "close", "rename"]
  const calls = [...fileCalls, "mkdir", "realpath", "folder sync", "folder close"]
  for (const call of calls) {
    it(`a put whose ${call} fails rejects as unavailable and leaves nothing`, async (t) => {
      const folder = await createFolder(t)
      const faults = createFaults()
      const artifacts = createFilesystemArtifacts({ folder, files: faults.files })
      await artifacts.check()
      faults.failing = call
      await rejectsWith(put(artifacts, 200_000), "artifacts-unavailable", { isRetryable: true })
      faults.failing = ""
      assert.deepEqual(await listFiles(folder), [])
      await put(artifacts, 10)
    })
  }

  for (const call of ["folder sync", "folder close"]) {
    it(`a restore whose ${call} fails after its rename leaves what an earlier one acknowledged`, async (t) => {
      const folder = await createFolder(t)
      const faults = createFaults()
      const artifacts = createFilesystemArtifacts({ folder, files: faults.files })
      const bytes = Buffer.alloc(1_000, "restored")
      const { locator, sha256 } = await put(artifacts, 10)
      const body = (): AsyncIterable<Uint8Array> => Readable.from([bytes])
      const request = { locator, bytes: bytes.length, sha256: hash("sha256", bytes) }
      assert.notEqual(request.sha256, sha256)
      assert.equal(await artifacts.restore?.({ ...request, body: body() }), "stored")
      faults.failing = call
      const failed = artifacts.restore?.({ ...request, body: body() })
      await rejectsWith(failed, "artifacts-unavailable", { isRetryable: true })
      faults.failing = ""
      const reader = await artifacts.open({ locator })
      assert.equal(reader?.totalBytes, bytes.length)
      await reader?.close()
    })
  }

  it("a full disk releases the body, and its error stays the one that is told", async (t) => {
    const folder = await createFolder(t)
    const faults = createFaults()
    const artifacts = createFilesystemArtifacts({ folder, files: faults.files })
    await artifacts.check()
    let isReleased = false
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(100_000)
      } finally {
        isReleased = true
      }
    }
    faults.failing = "write"
    const work = artifacts.put({ task: "t", key: "k", body: body() })
    await assert.rejects(work, (error) => {
      assert.ok(isSafelightError(error) && error.cause instanceof Error)
      return error.cause.message.startsWith("ENOSPC")
    })
    assert.ok(isReleased)
  })

  it("a write that takes only a part goes on with the rest", async (t) => {
    const folder = await createFolder(t)
    const files = wrapOpen((file) => ({
      write: (bytes, offset, length, position) =>
        file.write(bytes, offset, Math.min(length, 999), position),
    }))
    const artifacts = createFilesystemArtifacts({ folder, files })
    const { locator } = await put(artifacts, 200_000)
    assert.ok(makeBytes(200_000).equals(await nodeFiles.readFile(join(folder, locator))))
  })

  it("whatever is not absence opens as unavailable", async (t) => {
    const folder = await createFolder(t)
    const { locator } = await put(createFilesystemArtifacts({ folder }), 10)
    for (const code of ["EACCES", "EIO", "EMFILE"]) {
      const files: FileSystem = { ...nodeFiles, open: () => Promise.reject(systemError(code)) }
      const artifacts = createFilesystemArtifacts({ folder, files })
      // Prepared by the real calls, as after a start that went well.
      const opening = artifacts.open({ locator })
      await rejectsWith(opening, "artifacts-unavailable", { isRetryable: true })
    }
  })

  it("a file where the folder belongs makes everything unavailable", async (t) => {
    const file = join(await createFolder(t), "file")
    await nodeFiles.writeFile(file, "")
    const artifacts = createFilesystemArtifacts({ folder: file })
    await rejectsWith(artifacts.check(), "artifacts-unavailable")
    await rejectsWith(put(artifacts, 10), "artifacts-unavailable")
    await rejectsWith(artifacts.list("t"), "artifacts-unavailable")
    await rejectsWith(artifacts.sweepIncoming(0), "artifacts-unavailable")
    const { locator } = await put(createFilesystemArtifacts({ folder: await createFolder(t) }), 10)
    await rejectsWith(artifacts.open({ locator }), "artifacts-unavailable")
  })

  it("a disk that went away calls nothing missing, is not made anew, and may come back", async (t) => {
    const base = await createFolder(t)
    const folder = join(base, "mounted")
    const artifacts = createFilesystemArtifacts({ folder })
    const { locator } = await put(artifacts, 10)
    await nodeFiles.rename(folder, join(base, "away"))
    await rejectsWith(artifacts.open({ locator }), "artifacts-unavailable")
    await rejectsWith(artifacts.remove(locator), "artifacts-unavailable")
    await rejectsWith(artifacts.list("t"), "artifacts-unavailable")
    await rejectsWith(artifacts.check(), "artifacts-unavailable")
    await rejectsWith(put(artifacts, 10), "artifacts-unavailable")
    assert.deepEqual(await nodeFiles.readdir(base), ["away"])
    await nodeFiles.rename(join(base, "away"), folder)
    assert.deepEqual(await artifacts.list("t"), [locator])
  })

  it("a file truncated behind our back shows in the total, or fails the reader it happens to", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const { locator, bytes } = await put(artifacts, 100_000)
    const early = await artifacts.open({ locator })
    await early.read(new Uint8Array(60_000))
    await nodeFiles.truncate(join(folder, locator), 50_000)
    await rejectsWith(early.read(new Uint8Array(60_000)), "artifacts-unavailable")
    await early.close()
    const late = await artifacts.open({ locator })
    assert.notEqual(late.totalBytes, bytes)
    assert.equal(late.totalBytes, 50_000)
    await late.close()
  })
})

describe("strangers in the folder", () => {
  it("a link in place of an artifact is not followed", async (t) => {
    const base = await createFolder(t)
    const folder = join(base, "artifacts")
    const artifacts = createFilesystemArtifacts({ folder })
    const { locator } = await put(artifacts, 10)
    const secret = join(base, "secret")
    await nodeFiles.rename(join(folder, locator), secret)
    await nodeFiles.symlink(secret, join(folder, locator))
    await rejectsWith(artifacts.open({ locator }), "artifact-missing")
    assert.deepEqual(await artifacts.list("t"), [])
    await artifacts.remove(locator)
    assert.equal((await nodeFiles.readFile(secret)).length, 10)
  })

  for (const [level, above] of [
    ["shard", 3],
    ["task", 2],
    ["key", 1],
  ] as const) {
    it(`a link in place of a ${level} folder is not followed`, async (t) => {
      const base = await createFolder(t)
      const folder = join(base, "artifacts")
      const artifacts = createFilesystemArtifacts({ folder })
      const { locator } = await put(artifacts, 10)
      const inner = join(
        folder,
        locator
          .split("/")
          .slice(0, 4 - above)
          .join("/"),
      )
      const outside = join(base, "outside")
      await nodeFiles.rename(inner, outside)
      await nodeFiles.symlink(outside, inner)
      const before = await listTree(outside)
      await rejectsWith(artifacts.open({ locator }), "artifact-missing")
      assert.deepEqual(await artifacts.list("t"), [])
      await artifacts.remove(locator)
      await rejectsWith(put(artifacts, 10), "artifacts-unavailable")
      assert.deepEqual(await listTree(outside), before)
      assert.deepEqual(await listIncoming(folder), [])
    })
  }

  it("a link that leads nowhere ends a put", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const { locator } = await put(artifacts, 10)
    const taskFolder = dirname(dirname(join(folder, locator)))
    await nodeFiles.rm(taskFolder, { recursive: true })
    await nodeFiles.symlink(join(folder, "nowhere"), taskFolder)
    await rejectsWith(put(artifacts, 10), "artifacts-unavailable")
    assert.deepEqual(await listIncoming(folder), [])
  })

  it("a link in place of the incoming folder is refused, the folder itself may be one", async (t) => {
    const base = await createFolder(t)
    const real = join(base, "real")
    await nodeFiles.mkdir(real)
    await nodeFiles.symlink(real, join(base, "link"))
    const linked = createFilesystemArtifacts({ folder: join(base, "link") })
    const { locator } = await put(linked, 10)
    assert.equal((await nodeFiles.stat(join(real, locator))).size, 10)

    const elsewhere = await createFolder(t)
    await nodeFiles.rmdir(join(real, ".incoming"))
    await nodeFiles.symlink(elsewhere, join(real, ".incoming"))
    const artifacts = createFilesystemArtifacts({ folder: real })
    await rejectsWith(put(artifacts, 10), "artifacts-unavailable")
    assert.deepEqual(await nodeFiles.readdir(elsewhere), [])
  })

  it("a pipe or a folder in place of an artifact is missing, and holds nobody up", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const first = join(folder, (await put(artifacts, 10)).locator)
    await nodeFiles.unlink(first)
    execFileSync("mkfifo", [first])
    const second = join(folder, (await put(artifacts, 10)).locator)
    await nodeFiles.unlink(second)
    await nodeFiles.mkdir(second)
    for (const path of [first, second]) {
      const locator = path.slice(folder.length + 1)
      await rejectsWith(artifacts.open({ locator }), "artifact-missing")
    }
    assert.deepEqual(await artifacts.list("t"), [])
  })

  it("foreign files are neither listed nor swept, and keep their folders", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const { locator } = await put(artifacts, 10)
    await nodeFiles.writeFile(join(folder, dirname(locator), "notes.txt"), "")
    await nodeFiles.writeFile(join(folder, ".incoming", "notes.txt"), "")
    assert.deepEqual(await artifacts.list("t"), [locator])
    assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 0)
    await artifacts.remove(locator)
    assert.ok((await listTree(folder)).includes(join(dirname(locator), "notes.txt")))
  })
})

describe("files and folders of artifacts", () => {
  it("the last remove takes the task's folders along", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const first = await put(artifacts, 10, { key: "a" })
    const second = await put(artifacts, 10, { key: "b" })
    await artifacts.remove(first.locator)
    assert.ok((await listTree(folder)).includes(second.locator))
    await artifacts.remove(second.locator)
    const shard = first.locator.slice(0, 2)
    assert.deepEqual(await listTree(folder), [".incoming", shard])
  })

  it("a put whose body fails makes no folder", async (t) => {
    const folder = await createFolder(t)
    const artifacts = createFilesystemArtifacts({ folder })
    const body = Readable.from([makeBytes(10)]).map(() => assert.fail("broken"))
    await assert.rejects(artifacts.put({ task: "t", key: "k", body }))
    assert.deepEqual(await listTree(folder), [".incoming"])
  })

  it("only the owner may read them", async (t) => {
    const base = await createFolder(t)
    const folder = join(base, "artifacts")
    const { locator } = await put(createFilesystemArtifacts({ folder }), 10)
    for (let path = join(folder, locator); path !== base; path = dirname(path)) {
      assert.equal((await nodeFiles.stat(path)).mode & 0o077, 0, path)
    }
  })

  it("a sweep spares a put that runs, and one that is swept all the same leaves nothing", async (t) => {
    const folder = await createFolder(t)
    let sweepAt = Date.now()
    const swept: number[] = []
    const artifacts = createFilesystemArtifacts({
      folder,
      async onStep(step) {
        if (step === "written") swept.push(await artifacts.sweepIncoming(sweepAt))
      },
    })
    await put(artifacts, 10)
    sweepAt = Number.MAX_SAFE_INTEGER
    await rejectsWith(put(artifacts, 10, { key: "swept" }), "artifacts-unavailable")
    assert.deepEqual(swept, [0, 1])
    assert.equal((await artifacts.list("t")).length, 1)
  })

  it("a body is written in large pieces, one at a time, however it comes", async (t) => {
    const sizes: number[] = []
    let atOnce = 0
    const files = wrapOpen((file) => ({
      async write(bytes, offset, length, position) {
        assert.equal(atOnce, 0)
        atOnce += 1
        sizes.push(length)
        const written = await file.write(bytes, offset, length, position)
        atOnce -= 1
        return written
      },
    }))
    const artifacts = createFilesystemArtifacts({ folder: await createFolder(t), files })
    const chunks = [...Array.from({ length: 3000 }, () => makeBytes(1)), makeBytes(1_000_000)]
    await artifacts.put({ task: "t", key: "k", body: Readable.from(chunks) })
    const piece = 128 * 1024
    assert.deepEqual(sizes, [...Array.from({ length: 7 }, () => piece), 1_003_000 - 7 * piece])
  })

  it("locators keep the form that older manifests name", async (t) => {
    const artifacts = createFilesystemArtifacts({ folder: await createFolder(t) })
    const long = `%h${hash("sha256", "x".repeat(241))}`
    for (const [task, key, folders] of [
      ["t", "k", "e3/t/k"],
      ["", "Image 1.png", "bb/%/%0049mage%00201%002epng"],
      ["x".repeat(240), "x".repeat(241), `71/${"x".repeat(240)}/${long}`],
    ] as const) {
      const { locator } = await put(artifacts, 10, { task, key })
      assert.equal(dirname(locator), folders)
    }
  })

  it("any two tasks have names of their own, whatever a file system thinks alike", async (t) => {
    const files = wrapOpen(() => ({ sync: () => Promise.resolve() }))
    const artifacts = createFilesystemArtifacts({ folder: await createFolder(t), files })
    // Any UTF-16, halves of pairs included; and what might pass for an encoded name.
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    const text = fc.oneof(
      units.map((codes) => String.fromCharCode(...codes)),
      fc.string({
        unit: fc.constantFrom("%", "h", "0", "2", "e", "E", "a", "A", "."),
        maxLength: 5,
      }),
    )
    async function toTaskFolder(task: string): Promise<string> {
      const stored = await artifacts.put({ task, key: "k", body: Readable.from([]) })
      assert.match(stored.locator, /^[a-z0-9_%-]{2}(\/[a-z0-9_%-]{1,255}){3}$/)
      return dirname(dirname(stored.locator))
    }
    await fc.assert(
      fc.asyncProperty(text, text, async (a, b) => {
        assert.equal((await toTaskFolder(a)) === (await toTaskFolder(b)), a === b)
      }),
    )
  })

  it("wrong options are refused, and right ones touch nothing yet", async (t) => {
    for (const wrong of [{ folder: "" }, { folder: "a\0b" }, { folder: "a", staleAfterMs: -1 }]) {
      assert.throws(
        () => createFilesystemArtifacts(wrong),
        (error) => isSafelightError(error) && error.code === "invalid-configuration",
      )
    }
    const base = await createFolder(t)
    createFilesystemArtifacts({ folder: join(base, "later") })
    assert.deepEqual(await nodeFiles.readdir(base), [])
  })
})

async function createFolder(t: TestContext): Promise<string> {
  const folder = await nodeFiles.mkdtemp(join(tmpdir(), "safelight-artifacts-"))
  t.after(() => nodeFiles.rm(folder, { recursive: true }))
  return nodeFiles.realpath(folder)
}

function makeBytes(size: number): Buffer {
  return Buffer.alloc(size, "safelight")
}

function put(artifacts: ArtifactStorage, size: number, { task = "t", key = "k" } = {}) {
  return artifacts.put({ task, key, body: Readable.from([makeBytes(size)]) })
}

function listIncoming(folder: string): Promise<string[]> {
  return nodeFiles.readdir(join(folder, ".incoming"))
}

async function listTree(folder: string): Promise<string[]> {
  return (await nodeFiles.readdir(folder, { recursive: true })).toSorted()
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await nodeFiles.readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

async function rejectsWith(
  work: Promise<unknown>,
  code: SafelightErrorCode,
  { isRetryable }: { isRetryable?: boolean } = {},
): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(isSafelightError(error), String(error))
    assert.equal(error.code, code)
    if (isRetryable !== undefined) assert.equal(error.retryable, isRetryable)
    return true
  })
}

/** Stores 100,000 bytes in a child process that kills itself at the step. */
function crashAt(folder: string, step: string): void {
  const program = `
    import { Readable } from "node:stream"
    import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
    const [folder, crashStep] = process.argv.slice(1)
    const onStep = (step) => step === crashStep && process.kill(process.pid, "SIGKILL")
    const artifacts = createFilesystemArtifacts({ folder, onStep })
    await artifacts.put({ task: "t", key: "k", body: Readable.from([Buffer.alloc(100_000)]) })`
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval"]
  const child = spawnSync(process.execPath, [...flags, program, folder, step], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  })
  assert.equal(child.signal, "SIGKILL", child.stderr)
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code, syscall: "injected" })
}

/** The real calls, but what `change` gives for an open file in place of its own methods. */
function wrapOpen(change: (file: OpenFile, path: string) => Partial<OpenFile>): FileSystem {
  return {
    ...nodeFiles,
    async open(path, flags, mode) {
      const file: OpenFile = await nodeFiles.open(path, flags, mode)
      return {
        read: (into, offset, length, position) => file.read(into, offset, length, position),
        write: (bytes, offset, length, position) => file.write(bytes, offset, length, position),
        stat: () => file.stat(),
        sync: () => file.sync(),
        close: () => file.close(),
        ...change(file, path),
      }
    },
  }
}

/** A file system on which the call named by `failing` fails as on a full or broken disk. */
function createFaults() {
  const faults = { failing: "", files: nodeFiles as FileSystem }

  async function attempt<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
    if (call === faults.failing) throw systemError(call === "write" ? "ENOSPC" : "EIO")
    return work()
  }

  const opening = wrapOpen((file, path) => ({
    async write(bytes, offset, length, position) {
      if (faults.failing === "write") await file.write(bytes, offset, length >> 1, position)
      return attempt("write", () => file.write(bytes, offset, length, position))
    },
    sync: () => attempt(isIncoming(path) ? "sync" : "folder sync", () => file.sync()),
    async close() {
      await file.close()
      return attempt(isIncoming(path) ? "close" : "folder close", () => Promise.resolve())
    },
  }))
  faults.files = {
    ...opening,
    open: (path, flags, mode) => attempt("open", () => opening.open(path, flags, mode)),
    mkdir: (path, options) => attempt("mkdir", () => opening.mkdir(path, options)),
    realpath: (path) => attempt("realpath", () => opening.realpath(path)),
    rename: (from, to) => attempt("rename", () => opening.rename(from, to)),
  }
  return faults
}

function isIncoming(path: string): boolean {
  return basename(dirname(path)) === ".incoming"
}

/**
 * A file system that logs what matters to durability. A line stands where its call began, and says
 * nothing until the call succeeded: a sync covers what was there before it, and nothing later. A sync ends no sooner than what `hold` gives for its path.
 */
function createDisk(hold: (path: string) => Promise<void> | undefined = () => undefined) {
  const lines: { text: string }[] = []

  async function logged<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    const line = { text: "" }
    lines.push(line)
    const result = await work()
    line.text = text
    return result
  }

  const opening = wrapOpen((file, path) => ({
    write: (bytes, offset, length, position) =>
      logged(`write ${path}`, () => file.write(bytes, offset, length, position)),
    sync: () =>
      logged(`sync ${path}`, async () => {
        await file.sync()
        await hold(path)
      }),
  }))
  const files: FileSystem = {
    ...opening,
    async mkdir(path, options) {
      if (options.recursive !== true) {
        return logged(`name ${path}`, () => opening.mkdir(path, options))
      }
      const first = await opening.mkdir(path, options)
      const top = first ?? `${path}/`
      for (let made = path; made >= top; made = dirname(made)) lines.push({ text: `name ${made}` })
      return first
    },
    rename: (from, to) =>
      logged(`move ${from}`, () => logged(`name ${to}`, () => opening.rename(from, to))),
  }

  /** Every name from `base` down to the artifact would outlive a power cut now, with its bytes. */
  function assertDurable(base: string, path: string): void {
    const log = lines.map(({ text }) => text)
    const moved = log.indexOf(`name ${path}`) - 1
    const incoming = log[moved]?.slice("move ".length) ?? assert.fail(`${path} was moved`)
    const synced = log.lastIndexOf(`sync ${incoming}`, moved)
    assert.ok(synced > log.lastIndexOf(`write ${incoming}`, moved), `${path} has its bytes`)
    for (let above = path; above !== base; above = dirname(above)) {
      const named = log.lastIndexOf(`name ${above}`)
      assert.ok(log.lastIndexOf(`sync ${dirname(above)}`) > named, `${above} is durable`)
    }
  }

  const list = (): readonly string[] => lines.map(({ text }) => text)
  return { files, assertDurable, list, last: () => lines.at(-1)?.text }
}
