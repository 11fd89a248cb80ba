/** The proxy fails as it was told to: what passed and what did not is seen from both ends. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, it, type TestContext } from "node:test"
import { Client } from "pg"
import { serveRaw } from "../support/misbehaving-server.ts"
import { startProxy, type TcpProxy } from "./tcp-proxy.ts"
import { until } from "../support/until.ts"

interface Line {
  readonly proxy: TcpProxy
  /** All that the server was sent. */
  readonly received: () => string
  dial(): Promise<Socket>
}

/** A server that answers each piece with the same in capitals, and a proxy before it. */
async function lay(t: TestContext): Promise<Line> {
  let received = ""
  const server = await serveRaw(t, (socket) => {
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString()
      socket.write(bytes.toString().toUpperCase())
    })
  })
  const proxy = await startProxy(server)
  t.after(() => proxy[Symbol.asyncDispose]())
  return {
    proxy,
    received: () => received,
    async dial() {
      const socket = connect(proxy.port, "127.0.0.1")
      t.after(() => socket.destroy())
      socket.on("error", () => socket.destroy())
      await once(socket, "connect")
      return socket
    },
  }
}

async function ask(socket: Socket, words: string): Promise<string> {
  socket.write(words)
  const [answer] = (await once(socket, "data")) as [Buffer]
  return answer.toString()
}

/** Everything that comes until the other side closes. */
async function drain(socket: Socket): Promise<string> {
  let text = ""
  socket.on("data", (bytes: Buffer) => (text += bytes.toString()))
  await new Promise((resolve) => {
    socket.once("close", resolve)
  })
  return text
}

describe("the proxy", () => {
  it("passes everything on, both ways, while nothing fails", async (t) => {
    const { proxy, dial } = await lay(t)
    const socket = await dial()
    assert.equal(await ask(socket, "one"), "ONE")
    assert.equal(await ask(socket, "two"), "TWO")
    assert.equal(proxy.count(), 1)
    socket.destroy()
    await until(() => proxy.count() === 0)
  })

  it("cuts the connections that are up, and no later one", async (t) => {
    const { proxy, dial } = await lay(t)
    const sockets = [await dial(), await dial()]
    for (const socket of sockets) await ask(socket, "up")
    const ends = sockets.map(drain)
    proxy.cut()
    assert.deepEqual(await Promise.all(ends), ["", ""])
    assert.equal(await ask(await dial(), "again"), "AGAIN")
  })

  it("lets nothing pass over a frozen connection, and closes it for nobody", async (t) => {
    const { proxy, dial, received } = await lay(t)
    const frozen = await dial()
    await ask(frozen, "before ")
    proxy.freeze()
    let isHeard = false
    frozen.on("data", () => (isHeard = true))
    frozen.write("never ")
    // Whatever would pass has passed once a later connection was served.
    assert.equal(await ask(await dial(), "after "), "AFTER ")
    assert.equal(received(), "before after ")
    assert.deepEqual([isHeard, frozen.closed], [false, false])
    assert.equal(proxy.count(), 2)
  })

  it("keeps the order of what it holds back", async (t) => {
    const { proxy, dial, received } = await lay(t)
    const socket = await dial()
    proxy.delay(20)
    let text = ""
    socket.on("data", (bytes: Buffer) => (text += bytes.toString()))
    socket.write("a")
    await until(() => received() === "a")
    // What comes when the delay is over does not overtake what is still held back.
    socket.write("b")
    proxy.delay(0)
    socket.write("c")
    await until(() => text.length === 3)
    assert.equal(text, "ABC")
  })

  for (const when of ["answered", "sent"] as const) {
    it(`loses the reply to the request that matches, once it was ${when}`, async (t) => {
      const { proxy, dial, received } = await lay(t)
      const [loser, other] = [await dial(), await dial()]
      await ask(loser, "hello ")
      const lost = proxy.loseReply((bytes) => bytes.includes("commit"), when)
      assert.equal(await ask(other, "select "), "SELECT ")
      const heard = drain(loser)
      loser.write("commit ")
      await lost
      assert.equal(await heard, "")
      await until(() => received().endsWith("commit "))
      assert.equal(await ask(other, "commit "), "COMMIT ", "only one reply is lost")
    })
  }

  it("accepts and never answers, or closes at once, as long as it is told to", async (t) => {
    const { proxy, dial, received } = await lay(t)
    proxy.accept("silent")
    const silent = await dial()
    silent.write("lost")
    proxy.accept("closed")
    assert.equal(await drain(await dial()), "")
    proxy.accept("forwarded")
    assert.equal(await ask(await dial(), "kept"), "KEPT")
    assert.deepEqual([received(), silent.closed], ["kept", false])
  })

  it("refuses new connections with a SQLSTATE, as a client of PostgreSQL reads it", async (t) => {
    const { proxy, received } = await lay(t)
    proxy.accept({ refusal: "57P03" })
    const url = `postgres://somebody:secret@127.0.0.1:${proxy.port}/tasks`
    const client = new Client({ connectionString: url })
    client.on("error", () => {})
    await assert.rejects(client.connect(), { code: "57P03", severity: "FATAL" })
    assert.equal(received(), "")
  })
})
