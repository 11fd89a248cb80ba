/** Videos by the official package before a real service: made, followed, listed, downloaded in parts, ended. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { BadRequestError, NotFoundError, toFile, type OpenAI } from "openai"
import sharp from "sharp"
import { startLyingProxy } from "../../support/lying-proxy.ts"
import { until } from "../../support/until.ts"
import { fail, IMAGE, loseAnswers, startDoor, VIDEO, type Door } from "./open-door.ts"

let door: Door
before(async () => {
  door = await startDoor()
})
after(() => door[Symbol.asyncDispose]())

/** Until it is completed or failed. */
async function follow(openai: OpenAI, id: string): Promise<OpenAI.Video> {
  const find = async () => {
    const video = await openai.videos.retrieve(id)
    return video.status === "completed" || video.status === "failed" ? video : undefined
  }
  return (await until(find)) ?? assert.fail()
}

const ASKED = { model: VIDEO, prompt: "a street", seconds: "4", size: "1280x720" } as const

describe("videos of the official package", () => {
  it("are made, followed, and downloaded, whole and in parts", async () => {
    const { api, openai } = await door.open()
    const video = await openai.videos.create(ASKED)
    assert.ok(["queued", "in_progress"].includes(video.status), video.status)
    assert.deepEqual(
      [video.object, video.model, video.seconds, video.size],
      ["video", VIDEO, "4", "1280x720"],
    )
    const done = await follow(openai, video.id)
    assert.deepEqual([done.status, done.progress, done.error], ["completed", 100, null])
    assert.deepEqual([done.seconds, done.size], ["4", "1280x720"])
    assert.ok((done.expires_at ?? 0) > (done.completed_at ?? Infinity))
    const task = await api.get(video.id)
    assert.equal(done.completed_at, task.finished_at)

    const whole = await openai.videos.downloadContent(video.id)
    const bytes = Buffer.from(await whole.arrayBuffer())
    assert.equal(whole.headers.get("content-type"), "video/mp4")
    assert.equal(bytes.subarray(4, 8).toString(), "ftyp")
    const options = { headers: { range: "bytes=4-7" } }
    const part = await openai.videos.downloadContent(video.id, {}, options)
    assert.deepEqual([part.status, await part.text()], [206, "ftyp"])
    const etag = whole.headers.get("etag") ?? ""
    const known = { headers: { "if-none-match": etag } }
    const same = await openai.videos
      .downloadContent(video.id, {}, known)
      .asResponse()
      .catch((error: unknown) => error)
    assert.equal((same as { status: number }).status, 304)
    const old = { headers: { "if-unmodified-since": new Date(0).toUTCString() } }
    const changed = await fail(openai.videos.downloadContent(video.id, {}, old))
    assert.equal((changed as { status: number }).status, 412)
  })

  it("begin with a picture where the model takes one", async () => {
    const { openai } = await door.open()
    const red = { width: 64, height: 64, channels: 3, background: "red" } as const
    const png = await sharp({ create: red }).png().toBuffer()
    const input_reference = await toFile(png, "a.png")
    const video = await openai.videos.create({ ...ASKED, input_reference })
    assert.equal((await follow(openai, video.id)).status, "completed")
    const url = `data:image/png;base64,${png.toString("base64")}`
    const linked = await openai.videos.create({ ...ASKED, input_reference: { image_url: url } })
    assert.equal((await follow(openai, linked.id)).status, "completed")
  })

  it("are listed page by page, newest first, and nobody else's", async () => {
    const { api, openai } = await door.open()
    const made = []
    for (let count = 0; count < 3; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after another, so that their order is known
      made.unshift((await openai.videos.create({ ...ASKED, prompt: `street ${count}` })).id)
    }
    await api.submit(IMAGE, { prompt: "no video" })
    const listed = []
    for await (const { id, prompt } of openai.videos.list({ limit: 2 })) listed.push([id, prompt])
    assert.deepEqual(
      listed,
      made.map((id, index) => [id, `street ${2 - index}`]),
    )
    const behind = await openai.videos.list({ after: made[1] ?? "" })
    assert.deepEqual(
      behind.data.map(({ id }) => id),
      [made[2]],
    )
    const other = await door.open()
    assert.deepEqual((await other.openai.videos.list()).data, [])
    assert.ok((await fail(other.openai.videos.retrieve(made[0] ?? ""))) instanceof NotFoundError)
    assert.ok(
      (await fail(other.openai.videos.downloadContent(made[0] ?? ""))) instanceof NotFoundError,
    )
    assert.ok((await fail(other.openai.videos.delete(made[0] ?? ""))) instanceof NotFoundError)
    assert.ok(
      (await fail(other.openai.videos.list({ after: made[0] ?? "" }))) instanceof NotFoundError,
    )
  })

  it("end by a deletion while they are under way, and stay until they expire once they are made", async () => {
    const { api, openai } = await door.open()
    const stalled = await openai.videos.create({ ...ASKED, prompt: "[studio: stall] a street" })
    const early = await fail(openai.videos.downloadContent(stalled.id))
    assert.ok(early instanceof BadRequestError && early.code === "video_not_ready")
    const deleted = await openai.videos.delete(stalled.id)
    assert.deepEqual(deleted, { id: stalled.id, object: "video.deleted", deleted: true })
    const { error } = await api.get(stalled.id)
    assert.equal(error?.code, "task_cancelled")
    assert.equal((await openai.videos.delete(stalled.id)).deleted, true)
    const shown = await openai.videos.retrieve(stalled.id)
    assert.deepEqual([shown.status, shown.error?.code], ["failed", "task_cancelled"])
    assert.ok((await fail(openai.videos.downloadContent(stalled.id))) instanceof NotFoundError)

    const video = await openai.videos.create(ASKED)
    await follow(openai, video.id)
    const kept = await fail(openai.videos.delete(video.id))
    assert.ok(kept instanceof BadRequestError && kept.code === "video_not_deletable")
    assert.equal((await openai.videos.downloadContent(video.id)).status, 200)
  })

  it("are bought once where an answer is lost", async () => {
    await using proxy = await startLyingProxy(door.service.url)
    const { countTasks, openai } = await door.open({ url: proxy.url })
    const countTries = loseAnswers(proxy, "/openai/v1/videos", 2)
    await openai.videos.create(ASKED)
    assert.deepEqual([countTries(), await countTasks()], [3, 1])
  })

  it("are refused by the name of what is wrong", async () => {
    const { countTasks, openai } = await door.open()
    for (const [given, param] of [
      [{ seconds: "five" }, "seconds"],
      [{ seconds: "99" }, "seconds"],
      [{ size: "720p" }, "size"],
      [{ model: IMAGE }, "model"],
      [{ remix: "x" }, "remix"],
    ] as const) {
      const asked = { ...ASKED, ...given } as typeof ASKED
      const error = await fail(openai.videos.create(asked), JSON.stringify(given).slice(0, 100))
      assert.ok(error instanceof BadRequestError, String(error))
      assert.equal(error.param, param)
    }
    const asc = await fail(openai.videos.list({ order: "asc" }))
    assert.ok(asc instanceof BadRequestError && asc.param === "order")
    const many = await fail(openai.videos.list({ limit: 101 }))
    assert.ok(many instanceof BadRequestError && many.param === "limit")
    assert.equal(await countTasks(), 0)
    const video = await openai.videos.create(ASKED)
    const sheet = await fail(openai.videos.downloadContent(video.id, { variant: "spritesheet" }))
    assert.ok(sheet instanceof BadRequestError && sheet.param === "variant")
    assert.ok((await fail(openai.videos.retrieve("video_123"))) instanceof NotFoundError)
  })
})
