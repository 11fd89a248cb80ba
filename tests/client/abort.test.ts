/**
 * A signal that is aborted at every point of a whole course, one course for each: before and after every
 * request, in every pause, at every piece of a body. Nothing is asked after it, and nothing is left.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import {
  ACCEPTED,
  createScriptedClient,
  createTestClock,
  describeBytes,
  ID,
  json,
  LOST,
  MODEL,
  page,
  PARAMETERS,
  SILENT,
  SUCCEEDED,
  toTask,
  type Answer,
} from "./scripted-client.ts"

const BYTES = randomBytes(3_000)
const REASON = new Error("enough")

interface Course {
  readonly error: unknown
  /** The abort came before it ended. */
  readonly isAborted: boolean
  readonly requestsAfterwards: number
  /** Of connections that were neither ended nor read to their end. */
  readonly open: number
  readonly files: readonly string[]
}

/** Submits, waits, downloads with a cut in between, and meets a fault of each kind on the way. */
async function play(abortAt: number): Promise<Course> {
  await using folder = await createTemporaryFolder()
  const path = join(folder.path, "waves.mp4")
  const controller = new AbortController()
  let points = 0
  const pass = (): void => {
    points += 1
    if (points === abortAt) controller.abort(REASON)
  }
  const clock = createTestClock()
  const bodies = new Set<object>()
  const withBody =
    (answer: Answer, isCut = false): Answer =>
    async (request) => {
      pass()
      const given = await answer(request)
      const bytes = new Uint8Array(await given.arrayBuffer())
      const key = {}
      let at = 0
      bodies.add(key)
      const body = new ReadableStream<Uint8Array>(
        {
          pull(stream) {
            pass()
            if (at < bytes.length) stream.enqueue(bytes.subarray(at, (at += 1_000)))
            else {
              bodies.delete(key)
              if (isCut) stream.error(new TypeError("terminated"))
              else stream.close()
            }
          },
          cancel() {
            bodies.delete(key)
          },
        },
        { highWaterMark: 0 },
      )
      pass()
      return new Response(body, given)
    }
  const bytes = (start: number, end: number): Answer => {
    const range = { "content-range": `bytes ${start}-${BYTES.length - 1}/${BYTES.length}` }
    const headers = { ...describeBytes(BYTES), ...(start > 0 && range) }
    return () =>
      new Response(BYTES.subarray(start, end), { status: start > 0 ? 206 : 200, headers })
  }
  const answers = [
    LOST,
    withBody(page(502)),
    withBody(ACCEPTED),
    withBody(json(200, toTask("running", 10))),
    withBody(page(503)),
    withBody(json(200, SUCCEEDED)),
    withBody(bytes(0, 1_500), true),
    withBody(bytes(1_500, BYTES.length)),
  ]
  const { client, requests } = createScriptedClient(answers, {
    clock: {
      ...clock,
      async wait(durationMs, signal) {
        if (durationMs !== 60_000) pass()
        await clock.wait(durationMs, signal)
      },
    },
  })
  const { signal } = controller
  let asked = Infinity
  signal.addEventListener("abort", () => (asked = requests.length))
  const error = await client
    .run(MODEL, PARAMETERS, { signal })
    .then((task) => task.artifact("video").saveTo(path, { signal }))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  const files = await readdir(folder.path)
  if (files.length > 0) assert.deepEqual(await readFile(path), BYTES)
  const requestsAfterwards = Math.max(0, requests.length - asked)
  return { error, isAborted: signal.aborted, requestsAfterwards, open: bodies.size, files }
}

describe("a signal", () => {
  it("ends a course at each of its points, with its reason", async () => {
    let point = 1
    for (; ; point += 1) {
      const { error, files, isAborted, open, requestsAfterwards } = await play(point)
      assert.equal(requestsAfterwards, 0, `a request after point ${point}`)
      assert.equal(open, 0, `a body is open after point ${point}`)
      if (!isAborted) {
        assert.equal(error, undefined)
        assert.deepEqual(files, ["waves.mp4"])
        break
      }
      assert.equal(error, REASON, `point ${point}`)
      assert.deepEqual(files, [], `point ${point}`)
    }
    assert.ok(point > 30, `${point} points`)
  })

  it("that is aborted before asks nothing, whatever is called", async () => {
    const { client, requests } = createScriptedClient([ACCEPTED])
    const options = { signal: AbortSignal.abort(REASON) }
    const artifact = client.artifact(ID, "video")
    const calls = [
      () => client.run(MODEL, PARAMETERS, options),
      () => client.submit(MODEL, PARAMETERS, options),
      () => client.wait(ID, options),
      () => client.get(ID, options),
      () => client.artifacts(ID, options),
      () => client.events(ID, options),
      () => client.taskUsage(ID, options),
      () => client.usage({}, options),
      () => client.statement({}, options).next(),
      () => client.list({}, options).next(),
      () => artifact.blob(options),
      () => artifact.stream(options),
      () => artifact.saveTo("never", options),
      () => artifact.url(options),
    ]
    for (const call of calls) await assert.rejects(call(), REASON)
    assert.equal(requests.length, 0)
  })

  it("ends a request that the service does not answer, with a fetch that minds it or not", async () => {
    for (const never of [SILENT, () => new Promise<Response>(() => {})]) {
      const controller = new AbortController()
      const { client, requests } = createScriptedClient([never])
      const asked = client.get(ID, { signal: controller.signal })
      controller.abort(REASON)
      await assert.rejects(asked, REASON)
      assert.ok(requests.every(({ signal }) => signal.aborted))
    }
  })

  it("ends a stream that nobody reads just now", async () => {
    const controller = new AbortController()
    let isCancelled = false
    const endless: Answer = () => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (stream) => stream.enqueue(BYTES.subarray(0, 10)),
          cancel() {
            isCancelled = true
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, { headers: describeBytes(BYTES) })
    }
    const { client } = createScriptedClient([endless])
    const stream = await client.artifact(ID, "video").stream({ signal: controller.signal })
    controller.abort(REASON)
    assert.ok(isCancelled)
    await assert.rejects(stream.getReader().read(), REASON)
  })

  it("is not kept by what has ended", async () => {
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    const { addEventListener } = signal
    signal.addEventListener = (...words: Parameters<typeof addEventListener>) => {
      listeners += 1
      const options = words[2] as { readonly signal?: AbortSignal } | undefined
      assert.ok(options?.signal !== undefined, "a listener that nobody removes")
      options.signal.addEventListener("abort", () => (listeners -= 1), { once: true })
      addEventListener.apply(signal, words)
    }
    const whole: Answer = () => new Response(BYTES, { headers: describeBytes(BYTES) })
    const { client } = createScriptedClient([ACCEPTED, json(200, SUCCEEDED), whole])
    const task = await client.run(MODEL, PARAMETERS, { signal })
    await task.artifact("video").blob({ signal })
    assert.equal(listeners, 0)
  })
})
