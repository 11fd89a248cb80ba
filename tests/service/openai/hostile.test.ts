/** Requests that mean harm, or nothing at all, before a real service: each is refused as the caller's own fault. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { request } from "node:http"
import { after, before, describe, it } from "node:test"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { BadRequestError } from "openai"
import { until } from "../../support/until.ts"
import { EDIT, fail, IMAGE, startDoor, VIDEO, type Door, type Opened } from "./open-door.ts"

let door: Door
let opened: Opened
before(async () => {
  door = await startDoor()
  opened = await door.open()
})
after(() => door[Symbol.asyncDispose]())

interface Told {
  readonly message: string
  readonly code: string
  readonly param?: string | null
}

async function ask(
  path: string,
  message?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly told: Told; readonly length: number }> {
  const { apiKey, baseURL } = opened
  const body = typeof message === "object" ? JSON.stringify(message) : message
  const answer = await fetch(`${baseURL}${path}`, {
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { method: "POST", body }),
  })
  const text = await answer.text()
  const { error } = JSON.parse(text) as { readonly error?: Told }
  return { status: answer.status, told: error ?? { message: "", code: "" }, length: text.length }
}

const URL_GIVEN = "https://a.example/x.png"

describe("what is no value of an option", () => {
  it("is refused where a model's own parameter stands beside the same images", async () => {
    for (const [path, model, given] of [
      ["/images/edits", EDIT, { image_urls: 5, image: URL_GIVEN }],
      ["/images/edits", EDIT, { image_urls: [URL_GIVEN], image: URL_GIVEN }],
      ["/images/edits", EDIT, { image: URL_GIVEN, images: [URL_GIVEN] }],
      ["/videos", VIDEO, { image_urls: 7, input_reference: URL_GIVEN }],
      ["/videos", VIDEO, { image_urls: [URL_GIVEN], input_reference: URL_GIVEN }],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, told } = await ask(path, { model, prompt: "x", ...given })
      assert.equal(status, 400, `${JSON.stringify(given)}: ${told.message}`)
      assert.ok(Object.hasOwn(given, told.param ?? ""), String(told.param))
    }
  })

  it("is named as the caller named it, in the message too, and the first of several", async () => {
    const asked = { model: EDIT, prompt: "x", image: URL_GIVEN }
    for (const [given, param] of [
      [{ n: 0 }, "n"],
      [{ image: "ftp://a.example/x.png" }, "image"],
      [{ image: [] }, "image"],
      [{ image: undefined, images: [] }, "image"],
      [{ image: undefined, image_urls: ["ftp://a.example/x.png"], images: [URL_GIVEN] }, "images"],
      [{ prompt: 5, quality: 7 }, "prompt"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, told } = await ask("/images/edits", { ...asked, ...given })
      assert.deepEqual([status, told.param], [400, param], told.message)
      assert.ok(!told.message.includes("parameters."), told.message)
      assert.ok(told.message.startsWith(param), told.message)
    }
  })

  it("is not told at length", async () => {
    const long = "x".repeat(100_000)
    for (const given of [{ [long]: 1 }, { image: { [long]: 1 } }, { model: long }]) {
      // oxlint-disable-next-line no-await-in-loop
      const { length, status } = await ask("/images/edits", {
        model: EDIT,
        prompt: "x",
        image: URL_GIVEN,
        ...given,
      })
      assert.ok(length < 1_000 && status < 500, `${status}: ${length}`)
    }
  })
})

describe("an id that is none", () => {
  it("is refused of a model, by its name", async () => {
    const ids = ["..", "../tasks/x", "acme/./x", "a//b", "a/", "\ud800", "a\0b", "x".repeat(600)]
    for (const model of ids) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, told } = await ask("/images/generations", { model, prompt: "x" })
      assert.deepEqual([status, told.code, told.param], [404, "model_not_found", "model"], model)
    }
    const { status, told } = await ask("/models/..%2ftasks")
    assert.deepEqual([status, told.code], [404, "model_not_found"])
  })

  it("is refused of a video, where a list begins behind it", async () => {
    for (const id of ["", ".", "..", "a/b"]) {
      // oxlint-disable-next-line no-await-in-loop
      const { status, told } = await ask(`/videos?after=${encodeURIComponent(id)}`)
      assert.deepEqual([status, told.param], [400, "after"])
    }
  })

  it("is refused of a purchase", async () => {
    for (const key of ["", "\u00e9", "a".repeat(256)]) {
      const headers = { "idempotency-key": key }
      // oxlint-disable-next-line no-await-in-loop
      const { status, told } = await ask("/images/generations", { model: IMAGE }, headers)
      assert.deepEqual([status, told.code], [400, "invalid_idempotency_key"])
    }
  })
})

describe("repeats that come at once", () => {
  it("are one purchase, of images and of videos", async () => {
    for (const [path, model] of [
      ["/images/generations", IMAGE],
      ["/videos", VIDEO],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const earlier = await opened.countTasks()
      const repeats = [1, 2, 3].map((count) =>
        ask(path, { model, prompt: "again" }, { "x-stainless-retry-count": `${count}` }),
      )
      // oxlint-disable-next-line no-await-in-loop
      for (const { status } of await Promise.all(repeats)) assert.equal(status, 200)
      // oxlint-disable-next-line no-await-in-loop
      assert.equal(await opened.countTasks(), earlier + 1)
    }
  })
})

describe("a list of videos", () => {
  it("has room for long prompts, and begins behind none but its own", async () => {
    const own = await door.open()
    const picture = await own.api.submit(IMAGE, { prompt: "no video" })
    const made: string[] = []
    const prompt = "[studio: stall]".padEnd(900_000, "x")
    for (let count = 0; count < 20; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      made.unshift((await own.api.submit(VIDEO, { prompt }, LABELS)).task_id)
    }
    const ids = async (query: object): Promise<string[]> =>
      (await own.openai.videos.list(query)).data.map(({ id }) => id)
    assert.deepEqual(await ids({ limit: 2 }), made.slice(0, 2))
    assert.deepEqual(await ids({ limit: 2, after: made[1] }), made.slice(2, 4))
    const other = await fail(ids({ after: picture.task_id }))
    assert.ok(other instanceof BadRequestError && other.param === "after")
    const last = await own.api.submit(IMAGE, { prompt: "no video" })
    assert.ok((await fail(ids({ after: last.task_id }))) instanceof BadRequestError)
  })
})

const LABELS = { labels: { "openai-object": "video" } }

describe("a call that waits for its task", () => {
  it("holds nothing of its body", async () => {
    const own = await door.open()
    const earlier = countHeld()
    const leaving = new AbortController()
    const asked = JSON.stringify({ model: IMAGE, prompt: "[studio: stall]" })
    const body = asked.slice(0, -1).padEnd(BODY_BYTES, " ").concat("}")
    const headers = {
      authorization: `Bearer ${own.apiKey}`,
      "content-type": "application/json",
    }
    const calls = []
    for (let count = 1; count <= CALLS; count += 1) {
      const options = { method: "POST", headers, signal: leaving.signal }
      const call = request(`${own.baseURL}/images/generations`, options)
      calls.push(once(call, "error"))
      call.end(body)
      // oxlint-disable-next-line no-await-in-loop -- an account has so much room for bodies at once
      assert.ok(await until(async () => (await own.countTasks()) === count || undefined))
    }
    // The last body may still be on its way out of this process.
    assert.ok(await until(() => countHeld() - earlier < BODY_BYTES))
    leaving.abort()
    await Promise.all(calls)
  })
})

const CALLS = 6
const BODY_BYTES = 3 * 1024 * 1024

/** Bytes of buffers that are still in use. */
function countHeld(): number {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
  return process.memoryUsage().arrayBuffers
}
