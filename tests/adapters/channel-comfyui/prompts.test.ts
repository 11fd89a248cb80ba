/** Prompts of a ComfyUI server: what is sent, once, and what comes of it, fault by fault. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  imageEdit,
  referenceToVideo,
  SafelightError,
  textToImage,
  type Json,
} from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import type { StubFaults } from "@safelight/testkit/stubs"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import { createAnsweringServer, IDLE } from "./answering-server.ts"
import { createComfyWorld, PICTURE, type ComfyWorld } from "./comfyui-world.ts"
import { until } from "../../support/until.ts"

type Nodes = Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>

const toInputs = ({ stub }: ComfyWorld, node: string) => {
  const { body } = stub.purchases.at(-1) ?? assert.fail("nothing was sent")
  return (body as Nodes)[node]?.inputs ?? {}
}

describe("a prompt", () => {
  it("is the workflow with the task's values in their places, each of its type", async (t) => {
    const world = await createComfyWorld(t)
    const { promptId } = await world.submit(
      world.toRequest(textToImage.id, { size: "portrait_16_9" }),
    )
    assert.match(promptId, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(world.stub.purchases.at(-1)?.id, promptId)
    assert.deepEqual(toInputs(world, "5"), { width: 576, height: 1024, batch_size: 1 })
    assert.deepEqual(toInputs(world, "6"), { text: "a lighthouse at dusk", clip: ["4", 1] })
    assert.equal(toInputs(world, "7")["text"], "text, watermark")
    assert.ok(!JSON.stringify(world.stub.purchases).includes("_meta"))
    const { seed } = toInputs(world, "3")
    assert.ok(Number.isSafeInteger(seed) && seed !== 156_680_208_700_286)
    await world.submit(world.toRequest())
    assert.notEqual(toInputs(world, "3")["seed"], seed)
  })

  it("holds numbers that are scaled, and constants by value", async (t) => {
    const world = await createComfyWorld(t)
    await world.submit(world.toRequest(referenceToVideo.id, { duration: 5 }))
    assert.equal(toInputs(world, "40")["length"], 81)
    const edit = { quality: "low", resolution: "2k", count: 3 }
    await world.submit(world.toRequest(imageEdit.id, edit))
    assert.deepEqual([toInputs(world, "3")["steps"], toInputs(world, "2")["megapixels"]], [10, 4])
    assert.equal(toInputs(world, "11")["amount"], 3)
  })

  it("keeps the workflow's own where a request says nothing, but no sample of a text", async (t) => {
    const world = await createComfyWorld(t)
    const nothing = { prompt: undefined, duration: undefined }
    await world.submit(world.toRequest(referenceToVideo.id, nothing))
    assert.equal(toInputs(world, "40")["length"], 81)
    assert.equal(toInputs(world, "6")["text"], "")
  })

  it("gives what its nodes saved, by a link to this server alone", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest()
    const outcome = await world.follow(request, await world.submit(request))
    assert.ok(outcome.kind === "completed")
    const [output, ...more] = outcome.outputs
    assert.ok(output !== undefined && "url" in output && more.length === 0)
    assert.deepEqual(world.channel.outputOrigins, { hosts: [], trustedOrigins: [world.stub.url] })
    const bytes = Buffer.from(await (await fetch(output.url)).arrayBuffer())
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [512, 512])
  })

  it("is never sent twice while the server knows it, whoever sends it again", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    const request = world.toRequest()
    const operation = await world.submit(request)
    const other = await world.open()
    const again = (): Promise<unknown> => other.submit(request)
    assert.deepEqual(await again(), { kind: "accepted", operation })
    await clock.advance(1_000)
    assert.deepEqual(await again(), { kind: "accepted", operation })
    assert.equal(world.stub.purchases.length, 1)
  })

  const lost: readonly NonNullable<StubFaults["create"]>[] = [
    "reset",
    "server-error",
    "gateway-error",
    "html",
    "empty",
    "truncated",
    "redirect",
  ]
  for (const create of lost) {
    it(`whose answer is lost is asked for at once, and found: ${create}`, async (t) => {
      const world = await createComfyWorld(t)
      world.stub.setFaults({ create })
      const request = world.toRequest()
      const operation = await world.submit(request)
      assert.equal(world.stub.purchases.length, 1)
      assert.equal((await world.follow(request, operation)).kind, "completed")
    })
  }

  it("whose answer takes too long is in doubt, and found by its key", async (t) => {
    const world = await createComfyWorld(t)
    world.stub.setFaults({ create: "slow" })
    const controller = new AbortController()
    const request = { ...world.toRequest(), signal: controller.signal }
    const submitted = assert.rejects(world.channel.submit(request), { code: "aborted" })
    await until(() => world.stub.purchases.length === 1)
    controller.abort()
    await submitted
    const found = await world.channel.find?.({ ...request, signal: new AbortController().signal })
    assert.deepEqual(found, { operation: { promptId: world.stub.purchases[0]?.id } })
  })

  it("is in doubt where the server breaks off and is gone", async (t) => {
    const world = await createComfyWorld(t)
    let isGone = false
    const server = await createAnsweringServer(t, ({ method, path }) => {
      if (method === "POST") isGone = true
      return isGone ? "break-off" : IDLE(path)
    })
    const channel = await world.open({ baseUrl: server.url })
    await assert.rejects(channel.submit(world.toRequest()), {
      code: "channel-unavailable",
      retryable: true,
    })
    assert.deepEqual(server.posts, ["/prompt"])
  })

  it("was not made where the server can't be reached, is full, or is none of ComfyUI", async (t) => {
    const world = await createComfyWorld(t)
    const nobody = await world.open({ baseUrl: "http://127.0.0.1:1" })
    const unreachable = { kind: "not-created", reason: "unreachable" }
    assert.deepEqual(await nobody.submit(world.toRequest()), unreachable)
    world.stub.setFaults({ poll: "html" })
    const unclear = { kind: "not-created", reason: "server_unclear" }
    assert.deepEqual(await world.channel.submit(world.toRequest()), unclear)
    for (const [create, pause] of [
      ["busy", {}],
      ["busy-seconds", { retryAfterMs: 1_000 }],
    ] as const) {
      world.stub.setFaults({ create })
      const busy = { kind: "busy", reason: "server_busy", ...pause }
      assert.deepEqual(await world.channel.submit(world.toRequest()), busy)
    }
    assert.equal(world.stub.purchases.length, 0)
  })

  it("is not followed by a node's words where the server lacks what the workflow needs", async (t) => {
    const world = await createComfyWorld(t)
    const recorder = createLogRecorder()
    const channel = await world.open({ log: recorder.log })
    world.stub.setFaults({ own: ["node-errors"] })
    const refused = { kind: "not-created", reason: "workflow_refused" }
    assert.deepEqual(await channel.submit(world.toRequest()), refused)
    const [entry] = recorder.entries
    assert.equal(entry?.level, "error")
    assert.equal(entry.fields["fault"], "prompt_outputs_failed_validation")
    assert.ok(!JSON.stringify(recorder.entries).includes("lighthouse"))
  })

  it("is refused for good where a value of the request is what the server does not take", async (t) => {
    const world = await createComfyWorld(t)
    const toAnswer = (node: string, input: string): Json => ({
      error: { type: "prompt_outputs_failed_validation", message: "Prompt outputs failed" },
      node_errors: {
        [node]: {
          class_type: "EmptyLatentImage",
          dependent_outputs: ["9"],
          errors: [
            {
              type: "value_bigger_than_max",
              message: "Value 512 bigger than max of 256",
              details: input,
              extra_info: { input_name: input },
            },
          ],
        },
      },
    })
    const outcomes = [toAnswer("5", "width"), toAnswer("5", "batch_size")].map(async (json) => {
      const server = await createAnsweringServer(t, ({ method, path }) =>
        method === "POST" ? { status: 400, json } : IDLE(path),
      )
      return (await world.open({ baseUrl: server.url })).submit(world.toRequest())
    })
    const [own, other] = await Promise.all(outcomes)
    assert.deepEqual(own, {
      kind: "refused",
      code: "provider_rejected",
      providerWords: "node 5 (EmptyLatentImage): Value 512 bigger than max of 256: width",
    })
    assert.deepEqual(other, { kind: "not-created", reason: "workflow_refused" })
  })

  it("is followed by the id of a server that gives its own", async (t) => {
    const world = await createComfyWorld(t)
    const json = { prompt_id: "theirs", number: 1, node_errors: {} }
    const server = await createAnsweringServer(t, ({ method, path }) =>
      method === "POST" ? { status: 200, json } : IDLE(path),
    )
    const channel = await world.open({ baseUrl: server.url })
    const outcome = await channel.submit(world.toRequest())
    assert.deepEqual(outcome, { kind: "accepted", operation: { promptId: "theirs" } })
  })
})

describe("work at a ComfyUI server", () => {
  const silent = ["reset", "server-error", "gateway-error", "html", "empty", "truncated"] as const
  for (const poll of [...silent, "redirect", "not-found", "busy"] as const) {
    it(`is asked for again where an answer tells nothing: ${poll}`, async (t) => {
      const world = await createComfyWorld(t)
      const request = world.toRequest()
      const operation = await world.submit(request)
      world.stub.setFaults({ poll })
      await assert.rejects(world.poll(request, operation), { retryable: true })
      world.stub.setFaults({})
      assert.equal((await world.poll(request, operation)).kind, "completed")
    })
  }

  const ends: Readonly<Record<string, object>> = {
    cached: { kind: "not-created", reason: "answered_from_cache" },
    "out-of-memory": { kind: "not-created", reason: "out_of_memory", retryAfterMs: 10_000 },
  }
  for (const [fault, expected] of Object.entries(ends)) {
    it(`may be tried again, since it gave nothing: ${fault}`, async (t) => {
      const world = await createComfyWorld(t)
      world.stub.setFaults({ own: [fault] })
      const request = world.toRequest()
      assert.deepEqual(await world.follow(request, await world.submit(request)), expected)
    })
  }

  it("is lost by a restart, which forgets it, and is made anew under another key", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    const request = world.toRequest()
    const operation = await world.submit(request)
    world.stub.setFaults({ own: ["restart"], times: 1 })
    assert.deepEqual(await world.poll(request, operation), {
      kind: "not-created",
      reason: "forgotten",
    })
    assert.equal(await world.channel.find?.(request), null)
    const next = { ...request, upstreamKey: "task.2" }
    const again = await world.submit(next)
    assert.notDeepEqual(again, operation)
    await clock.advance(1_000)
    assert.equal((await world.follow(next, again)).kind, "completed")
    assert.equal(world.stub.purchases.length, 2)
  })

  it("is found where it ends between the questions for the history and the queue", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest()
    let asked = 0
    const server = await createAnsweringServer(t, ({ path }) => {
      if (!path.startsWith("/history/")) return IDLE(path)
      asked += 1
      const id = path.slice("/history/".length)
      const outputs = { "9": { images: [{ filename: "a.png", subfolder: "b", type: "temp" }] } }
      const entry = { outputs, status: { status_str: "success", completed: true, messages: [] } }
      return { status: 200, json: asked === 1 ? {} : { [id]: entry } }
    })
    const channel = await world.open({ baseUrl: server.url })
    const outcome = await world.poll(request, { promptId: "a-b" }, channel)
    assert.deepEqual(outcome, {
      kind: "completed",
      outputs: [{ url: `${server.url}/view?filename=a.png&subfolder=b&type=temp` }],
    })
  })

  const failures: readonly (readonly [string, object, object])[] = [
    [
      "fails in a node",
      {
        node_id: "3",
        node_type: "KSampler",
        exception_type: "ValueError",
        exception_message: "no",
      },
      {
        kind: "refused",
        code: "provider_rejected",
        providerWords: "node 3 (KSampler): ValueError no",
      },
    ],
    [
      "can't read what the caller refers to",
      { node_id: "1", node_type: "LoadImage", exception_type: "OSError", exception_message: "cut" },
      {
        kind: "refused",
        code: "media_unreadable",
        providerWords: "node 1 (LoadImage): OSError cut",
      },
    ],
    [
      "has no memory left on its card",
      {
        node_id: "3",
        exception_type: "torch.OutOfMemoryError",
        exception_message: "Allocation on device",
      },
      { kind: "not-created", reason: "out_of_memory", retryAfterMs: 10_000 },
    ],
  ]
  for (const [words, told, expected] of failures) {
    it(`ends as the server says where it ${words}`, async (t) => {
      const world = await createComfyWorld(t)
      const status = {
        status_str: "error",
        completed: false,
        messages: [["execution_error", told]],
      }
      const json = { "a-b": { outputs: {}, status } } as Json
      const server = await createAnsweringServer(t, () => ({ status: 200, json }))
      const channel = await world.open({ baseUrl: server.url })
      const request = world.toRequest(imageEdit.id)
      assert.deepEqual(await world.poll(request, { promptId: "a-b" }, channel), expected)
    })
  }

  it("came to nothing where the workflow saved nothing and not all of it was cached", async (t) => {
    const world = await createComfyWorld(t)
    const messages = [["execution_cached", { nodes: ["4"] }]]
    const status = { status_str: "success", completed: true, messages }
    const json = { "a-b": { outputs: { "9": { text: ["words"] } }, status } } as Json
    const server = await createAnsweringServer(t, () => ({ status: 200, json }))
    const channel = await world.open({ baseUrl: server.url })
    const outcome = await world.poll(world.toRequest(), { promptId: "a-b" }, channel)
    assert.deepEqual(outcome, { kind: "refused", code: "no_output" })
  })

  it("is interrupted by somebody else, and may be tried again", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    const [first, second] = [world.toRequest(), world.toRequest()]
    const operation = await world.submit(first)
    const waiting = await world.submit(second)
    world.stub.setFaults({ own: ["interrupts-another"] })
    await fetch(`${world.stub.url}/interrupt`, { method: "POST", body: "{}" })
    assert.deepEqual(await world.poll(first, operation), {
      kind: "not-created",
      reason: "interrupted",
    })
    assert.equal((await world.poll(second, waiting)).kind, "running")
  })
})

describe("a cancellation", () => {
  it("takes a prompt out of the queue, and leaves alone what runs", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    world.stub.setFaults({ own: ["interrupts-another"] })
    const [running, waiting] = [world.toRequest(), world.toRequest()]
    const operation = await world.submit(running)
    const cancelled = (await world.submit(waiting)) as unknown as Json
    const request = { ...waiting, operation: cancelled, progress: 0 }
    assert.equal(await world.channel.cancel?.(request), "stopped")
    assert.equal(await world.channel.find?.(waiting), null)
    assert.ok(world.stub.requests.every(({ path }) => path !== "/interrupt"))
    await clock.advance(1_000)
    assert.equal((await world.poll(running, operation)).kind, "completed")
  })

  it("interrupts its own prompt where it runs, by its id", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    const request = world.toRequest()
    const operation = (await world.submit(request)) as unknown as Json
    const asked = { ...request, operation, progress: 0 }
    assert.equal(await world.channel.cancel?.(asked), "stopped")
    assert.equal((await world.channel.poll(asked)).kind, "not-created")
    assert.equal(world.stub.requests.filter(({ path }) => path === "/interrupt").length, 1)
  })

  it("is too late for what is complete, and rejects where nobody answers", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest()
    const operation = (await world.submit(request)) as unknown as Json
    const asked = { ...request, operation, progress: 0 }
    assert.equal(await world.channel.cancel?.(asked), "too-late")
    world.stub.setFaults({ poll: "reset" })
    await assert.rejects(async () => world.channel.cancel?.(asked), { retryable: true })
  })

  it("is unknown where the node that runs has not looked yet", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest()
    const server = await createAnsweringServer(t, ({ path }) =>
      path === "/queue"
        ? { status: 200, json: { queue_running: [[1, "a-b", {}, {}, []]], queue_pending: [] } }
        : { status: 200, json: {} },
    )
    const channel = await world.open({ baseUrl: server.url })
    const asked = { ...request, operation: { promptId: "a-b" }, progress: 0 }
    assert.equal(await channel.cancel?.(asked), "unknown")
    assert.deepEqual(server.posts, ["/interrupt"])
    assert.deepEqual(server.bodies, [JSON.stringify({ prompt_id: "a-b" })])
  })
})

describe("the media of a request", () => {
  it("are put into the server's folder, and named in the graph", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest(imageEdit.id)
    const { promptId } = await world.submit(request)
    const { image } = toInputs(world, "1")
    assert.equal(image, `safelight-${promptId}-1.png`)
    const view = await fetch(`${world.stub.url}/view?filename=${image}&type=input`)
    const sent = Buffer.from(PICTURE.slice(PICTURE.indexOf(",") + 1), "base64")
    assert.deepEqual(Buffer.from(await view.arrayBuffer()), sent)
    assert.equal((await world.follow(request, { promptId })).kind, "completed")
  })

  it("are one part of their form, whatever they hold: nobody knows where a part ends", async (t) => {
    const world = await createComfyWorld(t)
    const server = await createAnsweringServer(t, ({ path }) => IDLE(path))
    const channel = await world.open({ baseUrl: server.url })
    const request = world.toRequest(imageEdit.id)
    async function upload(content: string): Promise<string> {
      async function* once(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(content)
      }
      const open = async () => ({ kind: "image", mimeType: "image/png", body: once() }) as const
      await channel.submit({ ...request, inputs: { ...request.inputs, open } })
      return server.bodies.at(-1) ?? assert.fail("nothing was sent")
    }
    const toBoundary = (body: string): string => body.slice(0, body.indexOf("\r\n"))
    // Whoever serves a medium knows the task by then, and all that is made of its id.
    const guess = toBoundary(await upload("a picture"))
    assert.ok(guess.length > 2)
    const field = 'content-disposition: form-data; name="subfolder"'
    const body = await upload(`a picture\r\n${guess}\r\n${field}\r\n\r\nelsewhere`)
    assert.ok(body.includes(field))
    assert.equal(body.split(toBoundary(body)).length, 5)
  })

  it("that can't be had end the task, and nothing is sent", async (t) => {
    const world = await createComfyWorld(t)
    const gone = { image_urls: ["https://media.example/1.png"] }
    const outcome = await world.channel.submit(world.toRequest(imageEdit.id, gone))
    assert.deepEqual(outcome, { kind: "refused", code: "media_download_failed" })
    assert.equal(world.stub.purchases.length, 0)
  })

  it("that the server does not take are no purchase, and their source is closed", async (t) => {
    const world = await createComfyWorld(t)
    const server = await createAnsweringServer(t, ({ method, path }) =>
      method === "POST" ? "break-off" : IDLE(path),
    )
    const channel = await world.open({ baseUrl: server.url })
    let isClosed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(64 * 1024)
      } finally {
        isClosed = true
      }
    }
    const request = world.toRequest(imageEdit.id)
    const open = async () => ({ kind: "image", mimeType: "image/png", body: endless() }) as const
    const outcome = await channel.submit({ ...request, inputs: { ...request.inputs, open } })
    assert.deepEqual(outcome, { kind: "not-created", reason: "unreachable" })
    assert.deepEqual(server.posts, ["/upload/image"])
    assert.ok(isClosed)
  })

  it("that nobody begins to read are closed all the same", async (t) => {
    const world = await createComfyWorld(t)
    let asked = 0
    const server = await createAnsweringServer(t, ({ path }) => {
      asked += 1
      const idle = IDLE(path)
      // History, queue, history: nobody is there for what follows.
      return idle === "break-off" ? idle : { ...idle, isLast: asked === 3 }
    })
    const channel = await world.open({ baseUrl: server.url })
    let isClosed = false
    const iterator = {
      next: () => assert.fail("nobody is there to read it"),
      return: async () => {
        isClosed = true
        return { done: true as const, value: undefined }
      },
    }
    const body = { [Symbol.asyncIterator]: () => iterator }
    const request = world.toRequest(imageEdit.id)
    const open = async () => ({ kind: "image", mimeType: "image/png", body }) as const
    const outcome = await channel.submit({ ...request, inputs: { ...request.inputs, open } })
    assert.deepEqual(outcome, { kind: "not-created", reason: "unreachable" })
    assert.ok(isClosed)
  })

  it("that take longer than a prompt may wait are tried again, and say nothing of the server", async (t) => {
    const world = await createComfyWorld(t)
    const request = world.toRequest(imageEdit.id)
    const late = new AbortController()
    t.mock.method(AbortSignal, "timeout", () => late.signal)
    const open: typeof request.inputs.open = async ({ signal }) => {
      late.abort()
      assert.ok(signal.aborted)
      throw new SafelightError({ code: "aborted", message: "called off" })
    }
    const slow = { ...request, inputs: { ...request.inputs, open } }
    assert.deepEqual(await world.channel.submit(slow), {
      kind: "not-created",
      reason: "not_sent_in_time",
      isAboutRequest: true,
    })
    const reason = "not_sent_in_time"
    assert.deepEqual(await world.channel.submit(request), { kind: "not-created", reason })
    assert.equal(world.stub.purchases.length, 0)
  })

  it("that are too large for the server end the task", async (t) => {
    const world = await createComfyWorld(t)
    const server = await createAnsweringServer(t, ({ method, path }) =>
      method === "POST" ? { status: 413, json: null } : IDLE(path),
    )
    const channel = await world.open({ baseUrl: server.url })
    const outcome = await channel.submit(world.toRequest(imageEdit.id))
    assert.deepEqual(outcome, { kind: "refused", code: "media_too_large" })
  })

  it("that break off with a reason of their own end the task by it", async (t) => {
    const world = await createComfyWorld(t)
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(10)
      throw new SafelightError({ code: "media_too_large", message: "too large" })
    }
    const request = world.toRequest(imageEdit.id)
    const open = async () => ({ kind: "image", mimeType: "image/png", body: broken() }) as const
    const outcome = await world.channel.submit({ ...request, inputs: { ...request.inputs, open } })
    assert.deepEqual(outcome, { kind: "refused", code: "media_too_large" })
    assert.equal(world.stub.purchases.length, 0)
  })
})
