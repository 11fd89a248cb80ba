/**
 * A song with its cover and its words, over a crash at each point at which its parts are stored: it is bought once, has
 * every part once, and its log still makes its rows and its bill, also where it is moved to another database.
 */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createAudit, exportStreams, importStreams, rebuildRows } from "@safelight/audit"
import type { ArtifactStorage, ManifestEntry, Storage } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { createMemoryStorage } from "@safelight/testkit"
import { COMPILED, SOURCE_FLAGS } from "../support/own-process.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { DAY_MS } from "./support/node-settings.ts"
import {
  SONG,
  SONG_MS,
  SONG_PRICES,
  SONG_REQUEST,
  startSongNode,
  toSongProducts,
} from "./support/song.ts"

const CHILD = join(import.meta.dirname, "support/song-node.ts")

const POINTS = [
  ["collect:before-put", 2],
  ["collect:after-put", 1],
  ["collect:after-put", 3],
  ["succeed:before-append", 1],
  ["succeed:after-append", 1],
] as const

async function crash(folder: string, point: string, nth: number): Promise<void> {
  const child = spawn(process.execPath, [...SOURCE_FLAGS, CHILD, folder, point, `${nth}`], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
  })
  const [, signal] = (await once(child, "close")) as [number | null, string | null]
  assert.equal(signal, "SIGKILL", "the node never met the point")
}

async function read(artifacts: ArtifactStorage, { bytes, locator }: ManifestEntry) {
  const reader = await artifacts.open({ locator })
  const into = Buffer.alloc(bytes + 1)
  const count = await reader.read(into)
  await reader.close()
  return into.subarray(0, count)
}

async function assertWhole(storage: Storage): Promise<void> {
  const audit = createAudit({ storage, digest: sha256, prices: SONG_PRICES, models: [SONG] })
  assert.equal((await audit.verify()).outcome, "whole")
  assert.equal((await audit.replay()).outcome, "whole")
}

/** The same rows and the same bill from the log alone. */
async function assertMoves(storage: Storage): Promise<void> {
  const lines: string[] = []
  const now = Date.now()
  for await (const line of exportStreams({ storage, digest: sha256, isSealed: false, now }))
    lines.push(line)
  const target = createMemoryStorage()
  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines.join(""))
  }
  await importStreams({ storage: target, open, digest: sha256, now, withKeys: false })
  await assertWhole(target)
  const [from, to] = await Promise.all(
    [storage, target].map((each) => each.scan({ after: "", limit: 9 })),
  )
  assert.deepEqual(to?.streams[0]?.row, from?.streams[0]?.row)
  assert.deepEqual(to?.streams[0]?.charge, from?.streams[0]?.charge)
}

describe("a result of several kinds", { concurrency: 2 }, () => {
  for (const [point, nth] of POINTS) {
    it(`is whole after a crash at pass ${nth} of ${point}`, async () => {
      await using folder = await createTemporaryFolder()
      await crash(folder.path, point, nth)
      await using node = await startSongNode(folder.path)
      const { artifacts, engine, storage, upstream } = node
      const again = await engine.submit(SONG_REQUEST)
      assert.ok(again.kind === "submitted" && again.isReplayed)
      const task = await engine.finished(again.task.id)
      assert.ok(task !== undefined)
      assert.equal(task.state, "succeeded.available", `${task.error?.code}`)
      assert.equal(upstream.countBought(task.id), 1)

      const products = toSongProducts(task.id)
      assert.deepEqual(
        task.artifacts.map(({ durationMs, key, type }) => [key, type, durationMs]),
        [
          ["image_1", "image", null],
          ["audio", "audio", SONG_MS],
          ["text", "text", null],
        ],
      )
      for (const entry of task.artifacts) {
        assert.deepEqual(await read(artifacts, entry), products.get(entry.key))
      }
      const usage = { images: 1, inputVideosMs: [], outputVideoMs: 0 }
      assert.deepEqual(task.usage, { ...usage, characters: 15, outputAudioMs: SONG_MS })
      assert.equal(task.chargeMicros, 500)

      await assertWhole(storage)
      await assertMoves(storage)
      const { rebuilt, tasks } = await rebuildRows({ storage, now: Date.now() })
      assert.deepEqual([tasks, rebuilt], [1, 0])
      await engine.sweep(Date.now() + 14 * DAY_MS)
      await engine.sweep(Date.now() + 16 * DAY_MS)
      assert.deepEqual(await artifacts.list(task.id), [], "bytes are left over")
      await assertWhole(storage)
    })
  }
})
