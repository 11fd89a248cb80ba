/** Work that is charged: by partner nodes, under a key that goes along with the prompt, and by Comfy Cloud. */
import assert from "node:assert/strict"
import dns from "node:dns"
import { describe, it, type TestContext } from "node:test"
import { imageEdit, type Json } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import { createAnsweringServer, IDLE } from "./answering-server.ts"
import { createComfyWorld } from "./comfyui-world.ts"

const PARTNER_KEY = "comfyui-5f2c-of-a-partner"
const PROXY_KEY = "a-key-of-the-proxy"

interface Sent {
  readonly prompt: object
  readonly extra_data?: object
}

describe("the key of partner nodes", () => {
  it("goes along with the prompt alone, beside the graph, and only if there is one", async (t) => {
    const world = await createComfyWorld(t)
    const json = { name: "a.png", prompt_id: "a" }
    const server = await createAnsweringServer(t, ({ method, path }) =>
      method === "POST" ? { status: 200, json } : IDLE(path),
    )
    const send = async (options: object): Promise<Sent> => {
      const channel = await world.open({ baseUrl: server.url, ...options })
      assert.equal((await channel.submit(world.toRequest(imageEdit.id))).kind, "accepted")
      return JSON.parse(server.bodies.at(-1) ?? assert.fail()) as Sent
    }
    const sent = await send({ partnerKey: PARTNER_KEY })
    assert.deepEqual(sent.extra_data, { api_key_comfy_org: PARTNER_KEY })
    assert.ok(!JSON.stringify(sent.prompt).includes(PARTNER_KEY))
    assert.ok(server.bodies.slice(0, -1).every((body) => !body.includes(PARTNER_KEY)))
    assert.ok(!Object.hasOwn(await send({}), "extra_data"))
  })

  it("is hidden, beside that of the proxy, and logged nowhere", async (t) => {
    const world = await createComfyWorld(t)
    const { entries, log } = createLogRecorder()
    const channel = await world.open({ partnerKey: PARTNER_KEY, key: PROXY_KEY, log })
    const words = channel.hideSecrets?.(`no ${PARTNER_KEY} nor ${PROXY_KEY}`) ?? ""
    assert.ok(words.startsWith("no ") && !words.includes(PARTNER_KEY) && !words.includes(PROXY_KEY))
    world.stub.setFaults({ own: ["node-errors"] })
    assert.equal((await channel.submit(world.toRequest())).kind, "not-created")
    assert.equal(entries.length, 1)
    assert.ok(!JSON.stringify(entries).includes(PARTNER_KEY))
  })
})

/** How a channel with that key judges a prompt that the server has as `status` says. */
async function pollEnded(t: TestContext, status: object): Promise<object> {
  const world = await createComfyWorld(t)
  const json = { "a-b": { outputs: {}, status } } as Json
  const server = await createAnsweringServer(t, () => ({ status: 200, json }))
  const channel = await world.open({ baseUrl: server.url, partnerKey: PARTNER_KEY })
  return world.poll(world.toRequest(), { promptId: "a-b" }, channel)
}

const toFailed = (told: object) => ({
  status_str: "error",
  completed: false,
  messages: [["execution_error", told]],
})

describe("work that partner nodes charge", () => {
  it("is not free, and that of the server alone is", async (t) => {
    const { channel, open } = await createComfyWorld(t)
    assert.equal(channel.isFree, true)
    assert.equal((await open({ partnerKey: PARTNER_KEY })).isFree, false)
  })

  it("is not made anew after a restart, and is in doubt for who looks for it", async (t) => {
    const clock = createManualClock()
    const world = await createComfyWorld(t, { clock, runMs: 1_000 })
    const channel = await world.open({ partnerKey: PARTNER_KEY })
    const request = world.toRequest()
    const operation = await world.submit(request)
    assert.deepEqual(await channel.find?.(request), { operation })
    world.stub.setFaults({ own: ["restart"], times: 1 })
    const forgotten = { kind: "refused", code: "provider_rejected", billed: "maybe" }
    assert.deepEqual(await world.poll(request, operation, channel), forgotten)
    await assert.rejects(async () => channel.find?.(request), {
      code: "channel-unavailable",
      retryable: true,
    })
  })

  it("may have been charged where a node failed, whose words are kept", async (t) => {
    const told = {
      node_id: "3",
      node_type: "Partner",
      exception_type: "E",
      exception_message: "no",
    }
    assert.deepEqual(await pollEnded(t, toFailed(told)), {
      kind: "refused",
      code: "provider_rejected",
      providerWords: "node 3 (Partner): E no",
      billed: "maybe",
    })
  })

  it("may have been charged where the server had no memory left for what followed", async (t) => {
    const told = { node_id: "3", exception_type: "torch.OutOfMemoryError", exception_message: "" }
    const refused = { kind: "refused", code: "provider_rejected", billed: "maybe" }
    assert.deepEqual(await pollEnded(t, toFailed(told)), refused)
  })

  it("is tried again where all of it came from the server's cache, which charges nothing", async (t) => {
    const world = await createComfyWorld(t)
    const channel = await world.open({ partnerKey: PARTNER_KEY })
    world.stub.setFaults({ own: ["cached"] })
    const request = world.toRequest()
    const outcome = await world.poll(request, await world.submit(request), channel)
    assert.deepEqual(outcome, { kind: "not-created", reason: "answered_from_cache" })
  })
})

describe("Comfy Cloud", () => {
  it("is sent the key as X-API-Key, a server of one's own as a bearer token", async (t) => {
    const world = await createComfyWorld(t)
    const keys: unknown[] = []
    const server = await createAnsweringServer(t, ({ headers, path }) => {
      keys.push([headers["x-api-key"], headers.authorization])
      return IDLE(path)
    })
    // The name stands for the server of this test.
    const { port } = new URL(server.url)
    const lookup = (_name: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, [{ address: "127.0.0.1", family: 4 }])
    t.mock.method(dns, "lookup", lookup)
    const ask = async (host: string) => {
      const baseUrl = `http://${host}:${port}`
      const channel = await world.open({ baseUrl, key: PROXY_KEY })
      await channel.find?.(world.toRequest()).catch(() => {})
      return { isFree: channel.isFree, key: keys.at(-1) }
    }
    const bearer = { isFree: true, key: [undefined, `Bearer ${PROXY_KEY}`] }
    assert.deepEqual(await ask("cloud.comfy.org"), { isFree: false, key: [PROXY_KEY, undefined] })
    assert.deepEqual(await ask("cloud.comfy.org.example"), bearer)
    assert.deepEqual(await ask("127.0.0.1"), bearer)
  })
})
