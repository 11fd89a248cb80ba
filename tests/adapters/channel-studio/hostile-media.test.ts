/**
 * What files that were made to do harm come to: the rendering that was asked for with them fails by
 * them, others go on, and the process that serves keeps its memory.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, test } from "node:test"
import { setTimeout } from "node:timers/promises"
import type { Channel } from "@safelight/core"
import { createSampleTableBomb, createTextBomb, LOOPING_WEBM } from "./hostile-media.ts"
import { startRenderingHost } from "./rendering-host.ts"
import {
  collect,
  createTestStudio,
  EDIT,
  follow,
  TEXT_TO_IMAGE,
  toRequest,
  VIDEO,
  type End,
} from "./test-studio.ts"
import { listRenderWorkers as listWorkers } from "../../support/worker-processes.ts"

const MIB = 1024 * 1024
const IMAGE_URL = "https://media.test/image"
const VIDEO_URL = "https://media.test/video"
const UNREADABLE = { kind: "refused", code: "media_unreadable" }

/** Carries a request of `account` to its end. */
async function ask(
  channel: Channel,
  account: string,
  model: string,
  parameters: Record<string, unknown>,
): Promise<End> {
  const request = toRequest(model, parameters, { account })
  assert.equal((await channel.submit(request)).kind, "accepted")
  return follow(channel, request)
}

/** The most that this process has used above what it used at first, in bytes. */
async function watchMemory<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  try {
    return [await work(), most - before]
  } finally {
    clearInterval(timer)
  }
}

const ATTACKS = {
  "a picture whose texts inflate to half a gigabyte": {
    make: () => createTextBomb(60),
    model: EDIT,
    parameters: { prompt: "", image_urls: [IMAGE_URL] },
  },
  "the same as a film's first frame": {
    make: () => createTextBomb(60),
    model: VIDEO,
    parameters: { duration: 4, aspect_ratio: "1:1", image_urls: [IMAGE_URL] },
  },
  "a film that claims four thousand million samples": {
    make: createSampleTableBomb,
    model: VIDEO,
    parameters: { duration: 4, video_urls: [VIDEO_URL] },
  },
  "a film that its parser reads for ever": {
    make: async () => LOOPING_WEBM,
    model: VIDEO,
    parameters: { duration: 4, video_urls: [VIDEO_URL] },
  },
} as const

describe("hostile media", () => {
  for (const [name, { make, model, parameters }] of Object.entries(ATTACKS)) {
    test(`${name}: unreadable, and another account's picture is made meanwhile`, async (t) => {
      const { channel, media } = createTestStudio(t, { workers: 1 })
      const file = await make()
      assert.ok(file.byteLength < MIB)
      for (const url of [IMAGE_URL, VIDEO_URL]) media.files.set(url, file)
      const picture = { prompt: "a fox", size: "square" }
      const [ends, grownBytes] = await watchMemory(async () => {
        const hostile = ask(channel, "hostile", model, parameters)
        return Promise.all([hostile, ask(channel, "other", TEXT_TO_IMAGE, picture)])
      })
      assert.deepEqual(ends[0], UNREADABLE)
      assert.equal((await collect(ends[1])).length, 1)
      assert.ok(grownBytes < 150 * MIB, `${Math.round(grownBytes / MIB)} MiB more`)
      const after = await ask(channel, "hostile", TEXT_TO_IMAGE, picture)
      assert.equal(after.kind, "completed")
    })
  }

  test("what a rendering needed of the disk is gone after it, however it ended", async (t) => {
    const { channel, media } = createTestStudio(t, { workers: 1 })
    media.files.set(IMAGE_URL, await createTextBomb(60))
    const folders = new Set<string>()
    const look = async (): Promise<void> => {
      for (const each of await readdir(tmpdir())) {
        if (each.startsWith("safelight-studio-")) folders.add(join(tmpdir(), each))
      }
    }
    const before = await look().then(() => new Set(folders))
    const timer = setInterval(() => void look(), 10)
    const parameters = { prompt: "", image_urls: [IMAGE_URL] }
    const end = await ask(channel, "a", EDIT, parameters).finally(() => clearInterval(timer))
    assert.deepEqual(end, UNREADABLE)
    // Other renderings of this machine come and go too, and end by themselves.
    const own = [...folders].filter((each) => !before.has(each))
    assert.ok(own.length > 0, "no folder was seen")
    while (own.some((each) => existsSync(each))) await setTimeout(50)
  })
})

test("a studio that is closed in the middle of a rendering leaves nothing on the disk", async (t) => {
  const list = async (): Promise<readonly string[]> =>
    (await readdir(tmpdir())).filter((each) => each.startsWith("safelight-studio-"))
  const before = new Set(await list())
  const { channel } = createTestStudio(t, { workers: 1 })
  const request = toRequest(VIDEO, { duration: 30 })
  const operation = { key: request.upstreamKey }
  // Progress shows that it has its folder.
  assert.equal((await channel.poll({ ...request, operation, progress: 1 })).kind, "running")
  const own = (await list()).filter((each) => !before.has(each))
  assert.ok(own.length > 0, "no folder was seen")
  await channel.close?.()
  // One that another process made in the same moment goes by itself.
  while (own.some((each) => existsSync(join(tmpdir(), each)))) await setTimeout(50)
})

describe("shares of the workers", () => {
  test("a picture of an account that has nothing at work waits for none of another's films", async (t) => {
    const { channel } = createTestStudio(t, { workers: 1 })
    const film = { duration: 30, resolution: "1080p" }
    const films = Array.from({ length: 4 }, () => toRequest(VIDEO, film, { account: "busy" }))
    const polls = films.map((request) =>
      channel.poll({ ...request, operation: { key: request.upstreamKey }, progress: 99 }),
    )
    const picture = { prompt: "a fox", size: "square" }
    assert.equal((await ask(channel, "other", TEXT_TO_IMAGE, picture)).kind, "completed")
    for (const request of films) {
      await channel.cancel?.({ ...request, operation: { key: request.upstreamKey }, progress: 1 })
    }
    for (const outcome of await Promise.all(polls)) assert.notEqual(outcome.kind, "completed")
  })
})

const needsProc = existsSync("/proc/self/environ") ? false : "only Linux shows what a process has"

test(
  "a process that renders knows no secret and ends with its host",
  { skip: needsProc },
  async () => {
    const env = { ...process.env, SAFELIGHT_DATABASE_URL: "postgres://user:hunter2@db/x" }
    const host = startRenderingHost(env)
    const exited = once(host, "exit")
    let child: number | undefined
    while (child === undefined) {
      await setTimeout(50)
      child = listWorkers(host.pid)[0]
    }
    // Once it renders it has loaded its code, and says so by what it uses.
    while (countThreads(child) < 8) await setTimeout(50)
    assert.doesNotMatch(readFileSync(`/proc/${child}/environ`, "latin1"), /hunter2|SAFELIGHT/)
    host.kill("SIGKILL")
    await exited
    while (existsSync(`/proc/${child}/exe`) && isRunning(child)) await setTimeout(50)
  },
)

function countThreads(pid: number): number {
  return Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
}

function isRunning(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
}
