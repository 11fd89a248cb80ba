/** Progress over the socket of a ComfyUI server: a hint that may be lost, and never holds anything up. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:net"
import { describe, it, type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import { createProgressSocket } from "../../../adapters/channel-comfyui/src/progress-socket.ts"
import { createPromptProgress } from "../../../adapters/channel-comfyui/src/prompt-progress.ts"
import { toPromptIdentity } from "../../../adapters/channel-comfyui/src/prompt-identity.ts"
import { createComfyWorld } from "./comfyui-world.ts"
import { createTellingServer } from "./telling-server.ts"
import { findFreePort } from "../../support/free-port.ts"
import { until } from "../../support/until.ts"

async function createScene(t: TestContext) {
  const world = await createComfyWorld(t)
  const request = world.toRequest()
  const { promptId } = toPromptIdentity(request.upstreamKey)
  const running: string[] = []
  const server = await createTellingServer(t, running)
  const channel = await world.open({ baseUrl: server.url })
  running.push(`not-yet-${promptId}`)
  await channel.submit(request)
  running.push(promptId)
  const ask = () => world.poll(request, { promptId }, channel)
  const toMessage = (value: number): string =>
    JSON.stringify({ type: "progress", data: { prompt_id: promptId, node: "3", value, max: 18 } })
  async function untilTold(progress: number): Promise<void> {
    for (;;) {
      const outcome = await ask()
      assert.ok(outcome.kind === "running")
      if (outcome.progress === progress) return
    }
  }
  return { server, channel, request, promptId, ask, toMessage, untilTold }
}

/** The timers of the function of that name which are yet to come. */
function watchTimers(t: TestContext, name: string): ReadonlySet<unknown> {
  const waiting = new Set<unknown>()
  const { clearTimeout: clear, setTimeout: set } = globalThis
  t.mock.method(globalThis, "setTimeout", (run: () => void, durationMs: number) => {
    const timer = set(() => {
      waiting.delete(timer)
      run()
    }, durationMs)
    if (run.name === name) waiting.add(timer)
    return timer
  })
  t.mock.method(globalThis, "clearTimeout", (timer: NodeJS.Timeout) => {
    waiting.delete(timer)
    clear(timer)
  })
  return waiting
}

describe("progress", () => {
  it("is what the server says of the prompt's nodes, over one socket", async (t) => {
    const { ask, channel, request, server, toMessage, untilTold } = await createScene(t)
    await until(() => server.sockets.length === 1)
    assert.deepEqual(await ask(), { kind: "running", pollAfterMs: 1_000 })
    const [socket] = server.sockets
    assert.match(socket?.clientId ?? "", /^[0-9a-f-]{36}$/)
    // Of seven nodes one takes 18 steps: 24 in all.
    socket?.tell(toMessage(6))
    await untilTold(25)
    await channel.submit({ ...request, upstreamKey: "task.99" })
    assert.equal(server.tries(), 1)
  })

  it("is not harmed by what means nothing, or is about others", async (t) => {
    const { server, toMessage, untilTold } = await createScene(t)
    await until(() => server.sockets.length === 1)
    const [socket] = server.sockets
    const odd = ["", "no json", "null", "[]", "{}", '{"type":1}', '{"type":"progress","data":null}']
    const others = ['{"type":"progress","data":{"prompt_id":"x","node":"3","value":1,"max":2}}']
    for (const text of [...odd, ...others, toMessage(-5), toMessage(12)]) socket?.tell(text)
    await untilTold(50)
  })

  it("comes again over another socket where the first is dropped", async (t) => {
    const { server, toMessage, untilTold } = await createScene(t)
    await until(() => server.sockets.length === 1)
    server.sockets[0]?.tell(toMessage(6))
    await untilTold(25)
    server.sockets[0]?.drop()
    await until(() => server.sockets.length === 2)
    assert.equal(server.sockets[1]?.clientId, server.sockets[0]?.clientId)
    server.sockets[1]?.tell(toMessage(12))
    await untilTold(50)
  })

  it("is not needed: work is followed without any socket", async (t) => {
    const world = await createComfyWorld(t, { runMs: 20 })
    world.stub.setFaults({ own: ["socket-dropped"] })
    const request = world.toRequest()
    assert.equal((await world.follow(request, await world.submit(request))).kind, "completed")
  })

  it("is asked for again where nobody listens, and ends while it is", async () => {
    const port = await findFreePort()
    const headers = {}
    const toUrl = (path: string): URL => new URL(path, `http://127.0.0.1:${port}`)
    const socket = createProgressSocket({ headers, toUrl })
    socket.follow("refused", ["1"])
    await setTimeout(100)
    // An error that nobody catches has failed this test by now.
    const server = createServer((connection) => connection.destroy())
    const connected = once(server, "connection")
    server.listen(port, "127.0.0.1")
    await connected
    server.close()
    await once(server, "close")
    await setTimeout(1_000)
    await socket.close()
  })

  it("leaves no socket and no timer behind where the channel is closed", async (t) => {
    const { channel, server } = await createScene(t)
    await until(() => server.sockets.length === 1)
    await channel.close?.()
    await until(() => server.sockets[0]?.isClosed() === true)

    const other = await createScene(t)
    const waiting = watchTimers(t, "connect")
    await until(() => other.server.sockets.length === 1)
    other.server.refuse()
    other.server.sockets[0]?.drop()
    await until(() => other.server.tries() === 3 && waiting.size === 1)
    await other.channel.close?.()
    assert.equal(waiting.size, 0)
  })
})

describe("a prompt's progress", () => {
  const NODES = ["a", "b", "c", "d"]

  it("is unknown until a node tells its steps, and then counts nodes by theirs", () => {
    const progress = createPromptProgress(NODES)
    progress.hear("execution_cached", { nodes: ["a", "stranger"] })
    progress.hear("executing", { node: "b" })
    assert.equal(progress.toPercent(), undefined)
    progress.hear("progress", { node: "b", value: 5, max: 17 })
    assert.equal(progress.toPercent(), 30)
    progress.hear("executing", { node: "c" })
    assert.equal(progress.toPercent(), 90)
    progress.hear("executed", { node: "c" })
    progress.hear("executing", { node: "d" })
    progress.hear("executing", { node: null })
    assert.equal(progress.toPercent(), 99)
  })

  it("is bounded, whatever is told", () => {
    const progress = createPromptProgress(NODES)
    for (const value of [-5, Number.NaN, 1e9, "x", undefined]) {
      progress.hear("progress", { node: "a", value, max: 20 })
      assert.ok((progress.toPercent() ?? 1) >= 1 && (progress.toPercent() ?? 1) <= 99)
    }
    for (const max of [0, -1, Number.NaN, Infinity]) {
      progress.hear("progress", { node: "a", value: 1, max })
      assert.ok((progress.toPercent() ?? 1) >= 1 && (progress.toPercent() ?? 1) <= 99)
    }
    progress.hear("progress", { node: "stranger", value: 1, max: 10 })
    progress.hear("execution_cached", { nodes: "all" })
    assert.ok((progress.toPercent() ?? 0) <= 99)
  })
})
