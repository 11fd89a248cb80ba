/** The stub of BytePlus ModelArk and Volcengine Ark, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver } from "./support/hook-receiver.ts"

const headers = { authorization: "Bearer ark-test" }
const MODEL = "dreamina-seedance-2-5-260628"
const TEXT = { type: "text", text: "a fox" }
const DAY_MS = 86_400_000

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["ark"]!(options)
const toTasks = (stub: RunningStub) => `${stub.url}/api/v3/contents/generations/tasks`

function create(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) {
  return callJson(toTasks(stub), { headers, body: { model: MODEL, content: [TEXT], ...fields } })
}

describe("the stub of Ark", () => {
  it("takes a task through its states, and clears its content after a day", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { body } = await create(stub, { duration: 6, return_last_frame: true })
    assert.deepEqual(Object.keys(body), ["id"])
    const get = async () => (await callJson(`${toTasks(stub)}/${body.id}`, { headers })).body
    const states = [(await get()).status]
    for (const stepMs of [1_000, 1_000]) {
      await clock.advance(stepMs)
      states.push((await get()).status)
    }
    assert.deepEqual(states, ["queued", "running", "succeeded"])
    const { content, usage } = await get()
    assert.equal(usage.total_tokens, 120_000)
    const types = [content.video_url, content.last_frame_url].map(async (url: string) => {
      return (await fetch(url)).headers.get("content-type")
    })
    assert.deepEqual(await Promise.all(types), ["video/mp4", "image/png"])
    await clock.advance(DAY_MS)
    const later = await get()
    assert.deepEqual([later.status, later.content], ["succeeded", null])
    assert.equal((await fetch(content.video_url)).status, 404)
    assert.equal(stub.purchases.length, 1)
  })

  it("lists tasks of seven days without their prompts", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    const { body: one } = await create(stub)
    await create(stub, { model: "ep-1" })
    const list = async (query: string) =>
      (await callJson(`${toTasks(stub)}?${query}`, { headers })).body
    const page = await list(`filter.model=${MODEL}`)
    assert.deepEqual([page.total, page.items[0].id, page.items[0].status], [1, one.id, "running"])
    assert.ok(!JSON.stringify(page).includes("fox"))
    assert.equal((await list("page_size=1")).items.length, 1)
    await clock.advance(7 * DAY_MS)
    assert.equal((await list("")).total, 0)
  })

  it("cancels what waits, refuses what runs, and deletes what is over", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { body } = await create(stub)
    const { body: other } = await create(stub)
    const remove = (id: string) => callJson(`${toTasks(stub)}/${id}`, { method: "DELETE", headers })
    const get = (id: string) => callJson(`${toTasks(stub)}/${id}`, { headers })
    assert.equal((await remove(body.id)).status, 200)
    assert.equal((await get(body.id)).body.status, "cancelled")
    await clock.advance(1_000)
    assert.equal((await remove(other.id)).status, 409)
    await clock.advance(1_000)
    assert.equal((await remove(other.id)).status, 200)
    assert.equal((await get(other.id)).status, 404)
    await clock.advance(DAY_MS)
    assert.equal((await get(body.id)).status, 404, "a cancelled row vanishes")
  })

  it("expires, and finds outputs sensitive at the end", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 4_000_000, runMs: 1_000 })
    const { body: slow } = await create(stub, { execution_expires_after: 3_600 })
    stub.setFaults({ own: ["output-sensitive"] })
    const { body: refused } = await create(stub)
    await clock.advance(5_000_000)
    const get = async (id: string) => (await callJson(`${toTasks(stub)}/${id}`, { headers })).body
    assert.equal((await get(slow.id)).status, "expired")
    const { status, error } = await get(refused.id)
    assert.equal(status, "failed")
    assert.match(error.code, /^OutputVideoSensitiveContentDetected/)
  })

  it("refuses without buying: what can't be combined, what is sensitive, what isn't paid", async () => {
    await using stub = await start()
    const frame = { type: "image_url", image_url: { url: "https://a/1.png" }, role: "first_frame" }
    const film = {
      type: "video_url",
      video_url: { url: "https://a/1.mp4" },
      role: "reference_video",
    }
    const data = { ...film, video_url: { url: "data:video/mp4;base64,AAAA" } }
    for (const fields of [
      { content: [frame, film] },
      { content: [data] },
      { content: [] },
      { duration: 31 },
      { resolution: "1080p" },
      { model: "" },
    ]) {
      const { status, body } = await create(stub, fields)
      assert.deepEqual([status, body.error.code], [400, "InvalidParameter"])
    }
    const seen: unknown[] = []
    for (const fault of ["input-sensitive", "overdue", "not-open", "overloaded"]) {
      stub.setFaults({ own: [fault] })
      const { status, body } = await create(stub)
      seen.push([status, body.error.code])
    }
    assert.deepEqual(seen, [
      [400, "InputTextSensitiveContentDetected"],
      [403, "AccountOverdueError"],
      [404, "ModelNotOpen"],
      [429, "ServerOverloaded"],
    ])
    assert.equal(stub.purchases.length, 0)
  })

  it("calls back at every change, unsigned, in order or not", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start({ queueMs: 10, runMs: 10 })
    await create(stub, { callback_url: `${hooks.url}/k` })
    await hooks.received(3)
    stub.setFaults({ webhook: "reordered" })
    await create(stub, { callback_url: `${hooks.url}/k` })
    await hooks.received(6)
    const states = hooks.hooks.map(({ raw }) => JSON.parse(raw).status)
    assert.deepEqual(states.slice(0, 3), ["queued", "running", "succeeded"])
    assert.deepEqual(states.slice(3), ["succeeded", "running", "queued"])
  })

  it("makes pictures at once, of which one may fail", async () => {
    await using stub = await start({ runMs: 0, faults: { own: ["image-failed"], times: 1 } })
    const body = {
      model: "seedream-5-0-pro-260628",
      prompt: "a fox",
      size: "2048x1152",
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 3 },
    }
    const made = await callJson(`${stub.url}/api/v3/images/generations`, { headers, body })
    const codes = made.body.data.map((each: { error?: { code: string } }) => each.error?.code)
    assert.deepEqual(codes, [undefined, undefined, "OutputImageSensitiveContentDetected"])
    assert.equal(made.body.usage.generated_images, 2)
    const { headers: told } = await fetch(made.body.data[0].url)
    assert.equal(told.get("content-type"), "image/jpeg")
  })
})
