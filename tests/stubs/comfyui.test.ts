/** The stub of ComfyUI, asked as its own page asks. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { WebSocket } from "undici"
import { callJson } from "./support/call-json.ts"

const GRAPH = {
  "5": { class_type: "EmptyLatentImage", inputs: { width: 320, height: 256, batch_size: 2 } },
  "6": { class_type: "CLIPTextEncode", inputs: { text: "a fox", clip: ["4", 1] } },
  "9": { class_type: "SaveImage", inputs: { filename_prefix: "fox", images: ["8", 0] } },
}

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["comfyui"]!({ runMs: 0, ...options })

const enqueue = (stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) =>
  callJson(`${stub.url}/prompt`, { body: { prompt: GRAPH, prompt_id: "ours", ...fields } })
const toHistory = async (stub: RunningStub, id = "ours") =>
  (await callJson(`${stub.url}/history/${id}`)).body

describe("the stub of ComfyUI", () => {
  it("runs one prompt at a time, under our ID, and serves what its nodes wrote", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    assert.deepEqual((await enqueue(stub)).body, { prompt_id: "ours", number: 1, node_errors: {} })
    await callJson(`${stub.url}/api/prompt`, { body: { prompt: GRAPH, prompt_id: "other" } })
    const queue = (await callJson(`${stub.url}/queue`)).body
    assert.deepEqual([queue.queue_running[0][1], queue.queue_pending[0][1]], ["ours", "other"])
    assert.deepEqual(await toHistory(stub), {})
    await clock.advance(1_000)
    const { ours } = await toHistory(stub)
    assert.deepEqual([ours.status.status_str, ours.status.completed], ["success", true])
    const { images } = ours.outputs["9"]
    assert.equal(images.length, 2)
    const { filename, subfolder, type } = images[0]
    const query = new URLSearchParams({ filename, subfolder, type }).toString()
    const view = `${stub.url}/view?${query}`
    const bytes = Buffer.from(await (await fetch(view)).arrayBuffer())
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [320, 256])
    assert.deepEqual(await toHistory(stub, "other"), {})
    await clock.advance(1_000)
    assert.ok((await toHistory(stub, "other")).other)
  })

  it("runs the same ID twice", async () => {
    await using stub = await start()
    await enqueue(stub)
    await enqueue(stub)
    assert.deepEqual(
      stub.purchases.map(({ key }) => key),
      ["ours", "ours"],
    )
  })

  it("forgets queue and history when it restarts, and keeps files", async () => {
    await using stub = await start()
    await enqueue(stub)
    const { filename } = (await toHistory(stub)).ours.outputs["9"].images[0]
    stub.setFaults({ own: ["restart"], times: 1 })
    assert.deepEqual(await toHistory(stub), {})
    assert.deepEqual((await callJson(`${stub.url}/queue`)).body.queue_running, [])
    assert.equal((await fetch(`${stub.url}/view?filename=${filename}`)).status, 200)
  })

  it("refuses a graph, fails in a node, or writes nothing", async () => {
    await using stub = await start()
    const refused = await enqueue(stub, { prompt: { "1": { inputs: {} } } })
    assert.equal(refused.status, 400)
    assert.deepEqual(Object.keys(refused.body.node_errors), ["1"])
    stub.setFaults({ own: ["node-errors"] })
    assert.equal((await enqueue(stub)).body.error.type, "prompt_outputs_failed_validation")
    assert.equal(stub.purchases.length, 0)
    stub.setFaults({ own: ["cached"] })
    await enqueue(stub)
    const cached = (await toHistory(stub)).ours
    assert.deepEqual([cached.status.completed, cached.outputs], [true, {}])
    stub.setFaults({ own: ["out-of-memory"] })
    await enqueue(stub)
    assert.equal((await toHistory(stub)).ours.status.status_str, "error")
  })

  it("deletes what waits, and interrupts what runs, perhaps another", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    for (const id of ["one", "two"]) await enqueue(stub, { prompt_id: id })
    await callJson(`${stub.url}/queue`, { body: { delete: ["two"] } })
    await callJson(`${stub.url}/interrupt`, { body: { prompt_id: "two" } })
    const running = (await callJson(`${stub.url}/queue`)).body.queue_running
    assert.equal(running[0][1], "one")
    stub.setFaults({ own: ["interrupts-another"] })
    await callJson(`${stub.url}/interrupt`, { body: { prompt_id: "two" } })
    const { one } = await toHistory(stub, "one")
    assert.equal(one.status.messages.at(-1)[0], "execution_interrupted")
    assert.deepEqual(await toHistory(stub, "two"), {})
  })

  it("tells of the nodes that are installed, with what they may be given", async () => {
    await using stub = await start()
    const tell = async (path: string) => (await callJson(`${stub.url}/object_info${path}`)).body
    const { CheckpointLoaderSimple: loader } = await tell("/CheckpointLoaderSimple")
    const [checkpoints] = loader.input.required.ckpt_name
    assert.ok(checkpoints.includes("sd_xl_base_1.0.safetensors"))
    assert.equal(loader.output_node, false)
    assert.equal((await tell("/SaveImage")).SaveImage.output_node, true)
    assert.deepEqual(await tell("/Nobody"), {})
    assert.ok(Object.keys(await tell("")).includes("KSampler"))
  })

  it("takes uploads", async () => {
    await using stub = await start()
    const form = new FormData()
    form.append("image", new Blob(["fox"], { type: "image/png" }), "fox.png")
    const answer = await fetch(`${stub.url}/upload/image`, { method: "POST", body: form })
    assert.deepEqual(await answer.json(), { name: "fox.png", subfolder: "", type: "input" })
    const view = await fetch(`${stub.url}/view?filename=fox.png&type=input`)
    assert.equal(await view.text(), "fox")
  })

  it("tells progress over its socket, which may be dropped", async () => {
    await using stub = await start({ runMs: 20 })
    const events = await listen(stub)
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        "status",
        "execution_start",
        "execution_cached",
        "executing",
        "progress",
        "progress",
        "progress",
        "progress",
        "executing",
        "execution_success",
      ],
    )
    assert.deepEqual(events[4]?.data, { prompt_id: "ours", node: "9", value: 1, max: 4 })
    stub.setFaults({ own: ["socket-dropped"] })
    const dropped = await listen(stub)
    assert.deepEqual(
      dropped.map(({ type }) => type),
      ["status"],
    )
  })
})

interface ComfyEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What is told of one prompt, until it succeeds or the socket ends. */
async function listen(stub: RunningStub): Promise<readonly ComfyEvent[]> {
  const events: ComfyEvent[] = []
  const socket = new WebSocket(`${stub.url.replace("http", "ws")}/ws?clientId=c`)
  const ended = new Promise<void>((resolve) => {
    socket.addEventListener("close", () => resolve())
    socket.addEventListener("error", () => resolve())
    socket.addEventListener("message", ({ data }) => {
      const event = JSON.parse(String(data)) as ComfyEvent
      events.push(event)
      if (event.type === "status") void enqueue(stub, { client_id: "c" })
      if (event.type === "execution_success") socket.close()
    })
  })
  await ended
  return events
}
