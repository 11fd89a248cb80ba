/** Old parts of the tree in files: what is altered, gone or silent there is found, and never believed. */
import assert from "node:assert/strict"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, mock } from "node:test"
import { setImmediate } from "node:timers/promises"
import { zstdDecompressSync } from "node:zlib"
import { auditArtifacts, createArchiveReader } from "@safelight/audit"
import { type ArtifactStorage, type LeafRun, type Storage, type TreeBundle } from "@safelight/core"
import { hashEventEntry } from "@safelight/proof"
import { hashTile, tree } from "../support/signed-storage.ts"
import { ENDED, type ArchivedLog } from "./support/archived-log.ts"
import { archiveBundles, createBundledLog, readTreeOf } from "./support/bundled-log.ts"
import { sha256 as digest } from "./support/sha256.ts"
import { createSilentBucket } from "./support/silent-bucket.ts"
import { NOW } from "./support/transfer-source.ts"

const FEW = 66_000
const TILES_BYTES = 65_536 * 32
const [TASK = ""] = ENDED

const EXPECTED = { task: "archive", key: "tree-0", expiresAt: Number.MAX_SAFE_INTEGER }

async function findFile(log: ArchivedLog): Promise<string> {
  const [bundle = assert.fail()] = await log.storage.listBundles()
  return join(log.folder, bundle.locator)
}

describe("an archived part of the tree", () => {
  it("is a file that a stranger reads: its tiles, and behind them what its leaves stand for", async () => {
    await using log = await createBundledLog(undefined, FEW)
    const [logged = assert.fail()] = await log.storage.readEvents(TASK)
    const [leaf = assert.fail()] = await log.storage.readLeaves(TASK)
    await archiveBundles(log)
    const file = await readFile(await findFile(log))
    const hash = file.subarray(leaf.index * 32, (leaf.index + 1) * 32)
    assert.deepEqual(Buffer.from(hashEventEntry(tree, logged)), hash)
    const lines = zstdDecompressSync(file.subarray(TILES_BYTES)).toString("utf8").trim().split("\n")
    const entries = lines.flatMap((line, index) => {
      const run = JSON.parse(line) as Record<string, number> & { entries: [string, number][] }
      if (index === 0) assert.equal(run["position"], 0)
      return run.entries
    })
    assert.deepEqual(entries[leaf.index], [TASK, 1])
    assert.ok(entries.length >= 65_536)
  })

  it("is named where its bytes are altered or gone, and never believed", async () => {
    await using log = await createBundledLog(undefined, FEW)
    const before = await readTreeOf(log.storage, ENDED)
    await archiveBundles(log)
    const path = await findFile(log)
    const bytes = await readFile(path)
    for (const [place, read] of [
      [0, () => log.storage.readTile({ level: 0, index: 0 })],
      [TILES_BYTES - 1, () => log.storage.readTile({ level: 0, index: 255 })],
      [TILES_BYTES + 40, () => log.storage.readLeaves(TASK)],
      [bytes.length - 1, () => log.storage.listLeaves({ from: 65_000, limit: 9 })],
    ] as const) {
      const altered = Buffer.from(bytes)
      altered.writeUInt8((altered[place] ?? 0) ^ 1, place)
      await writeFile(path, altered)
      await log.reopen()
      await assert.rejects(read, { code: "storage-corrupt", message: /^bundle 0 of the tree/ })
      const report = await auditArtifacts({ ...log, now: NOW })
      assert.deepEqual(report.findings, [{ kind: "differs", ...EXPECTED }], `byte ${place}`)
    }
    await writeFile(path, bytes.subarray(0, TILES_BYTES))
    await log.reopen()
    await assert.rejects(log.storage.readLeaves(TASK), { code: "storage-corrupt" })
    await rm(path)
    await assert.rejects(log.storage.readTile({ level: 0, index: 3 }), { code: "storage-corrupt" })
    const { findings } = await auditArtifacts({ ...log, now: NOW })
    assert.deepEqual(findings, [{ kind: "missing", ...EXPECTED }])
    await writeFile(path, bytes)
    await log.reopen()
    assert.deepEqual(await readTreeOf(log.storage, ENDED), before)
    assert.deepEqual((await auditArtifacts({ ...log, now: NOW })).findings, [])
  })

  it("is not the one of another place, though each is whole by itself", async () => {
    await using log = await createBundledLog()
    await archiveBundles(log)
    const [one = assert.fail(), other = assert.fail()] = await log.storage.listBundles()
    const [path, otherPath] = [join(log.folder, one.locator), join(log.folder, other.locator)]
    const [bytes, otherBytes] = [await readFile(path), await readFile(otherPath)]
    await writeFile(path, otherBytes)
    await writeFile(otherPath, bytes)
    await log.reopen()
    for (const index of [0, 300]) {
      await assert.rejects(log.storage.readTile({ level: 0, index }), { code: "storage-corrupt" })
    }
    await assert.rejects(log.storage.listLeaves({ from: 5, limit: 1 }), { code: "storage-corrupt" })
  })

  it("is unavailable while its place is, and read once that is back", async () => {
    await using log = await createBundledLog(undefined, FEW)
    await archiveBundles(log)
    const { artifacts, comeBack } = createSilentBucket(log.artifacts)
    log.storage.useArchive(createArchiveReader({ artifacts, digest, hashTile }))
    for (const read of [
      () => log.storage.readTile({ level: 0, index: 0 }),
      () => log.storage.readLeaves(TASK),
    ]) {
      await assert.rejects(read, { code: "storage-unavailable", retryable: true })
      // The right edge of the tree is in the database.
      assert.ok((await log.storage.readTile({ level: 0, index: 256 })) !== undefined)
    }
    comeBack()
    assert.equal((await log.storage.readLeaves(TASK))[0]?.version, 1)
  })

  it("stays in the database if a tile is not the one that the tree has", async () => {
    await using log = await createBundledLog(undefined, FEW)
    const damaged: Storage = {
      ...log.storage,
      async readBundle(request) {
        const bundle: TreeBundle | undefined = await log.storage.readBundle(request)
        bundle?.tiles.set([1, 2, 3], 200 * 8_192)
        return bundle
      },
    }
    const moving = archiveBundles(log, { storage: damaged })
    await assert.rejects(moving, { code: "storage-corrupt", message: /tile 200 of the tree/ })
    assert.deepEqual(await log.storage.listBundles(), [])
    assert.equal((await archiveBundles(log)).bundles, 1)
  })

  it("stays in the database if its file is not read back as it was written", async () => {
    await using log = await createBundledLog(undefined, FEW)
    const put: ArtifactStorage["put"] = async (request) => {
      const stored = await log.artifacts.put(request)
      const path = join(log.folder, stored.locator)
      const bytes = await readFile(path)
      bytes.writeUInt8((bytes[9_000] ?? 0) ^ 1, 9_000)
      await writeFile(path, bytes)
      return stored
    }
    const moving = archiveBundles(log, { artifacts: { ...log.artifacts, put } })
    await assert.rejects(moving, { code: "storage-corrupt", message: /not read back/ })
    assert.deepEqual(await log.storage.listBundles(), [])
    assert.ok((await log.storage.readTile({ level: 0, index: 0 })) !== undefined)
  })

  it("leaves a file that nothing knows, which is named, where another process was first", async () => {
    await using log = await createBundledLog(undefined, FEW)
    let isFirst = true
    const storage: Storage = {
      ...log.storage,
      async archiveBundle(bundle) {
        if (isFirst) {
          isFirst = false
          await archiveBundles(log)
        }
        return log.storage.archiveBundle(bundle)
      },
    }
    assert.deepEqual(await archiveBundles(log, { storage }), { bundles: 0, bytes: 0 })
    const [bundle = assert.fail()] = await log.storage.listBundles()
    const { findings } = await auditArtifacts({ ...log, now: NOW })
    const [finding] = findings
    assert.deepEqual([findings.length, finding?.kind], [1, "unknown-task"])
    assert.notDeepEqual(finding, { kind: "unknown-task", task: "archive", locator: bundle.locator })
  })

  it("is written and read in many turns, though each of its leaves is a run of its own", async () => {
    await using log = await createBundledLog(undefined, FEW)
    const scattered: Storage = {
      ...log.storage,
      async readBundle(request) {
        const bundle = await log.storage.readBundle(request)
        return bundle && { ...bundle, runs: bundle.runs.flatMap(scatter) }
      },
    }
    const written = await countAtOnce("stringify", () =>
      archiveBundles(log, { storage: scattered }),
    )
    assert.equal((await log.storage.listBundles()).length, 1)
    const read = await countAtOnce("parse", () =>
      log.storage.listLeaves({ from: 65_000, limit: 9 }),
    )
    for (const most of [written, read]) assert.ok(0 < most && most <= 64, `${most} lines in a turn`)
  })
})

function scatter({ entries, position, ...run }: LeafRun): readonly LeafRun[] {
  return entries.map((entry, index) => ({ ...run, position: position + index, entries: [entry] }))
}

/** The most calls of a method of JSON within one turn of the event loop. */
async function countAtOnce(
  method: "parse" | "stringify",
  work: () => Promise<unknown>,
): Promise<number> {
  let most = 0
  const over = new AbortController()
  const { mock: calls } = mock.method(JSON, method)
  const others = (async () => {
    while (!over.signal.aborted) {
      const before = calls.callCount()
      await setImmediate()
      most = Math.max(most, calls.callCount() - before)
    }
  })()
  await work()
  over.abort()
  await others
  calls.restore()
  return most
}
