/** Requests that clients send ahead: how many may wait, and whose connection is closed where too many do. */
import assert from "node:assert/strict"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { afterEach, describe, it } from "node:test"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { createWorld } from "./worlds.ts"

const START = "http.server.request.start"
const READY = "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
const SMALL = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
/** As many as one read of a connection takes. */
const MANY = 2_044

describe("requests sent ahead", () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  })

  async function open() {
    const going = Promise.withResolvers<void>()
    const world = await createWorld("over a socket", { checkReady: () => going.promise })
    closers.push(() => world.close())
    let started = 0
    const count = (): void => void (started += 1)
    subscribe(START, count)
    closers.push(() => unsubscribe(START, count))
    const url = world.server?.url ?? ""
    return {
      going,
      logged: world.logged,
      url,
      /** Resolves once so many requests wait behind one that has no answer yet. */
      async wait(requests: number) {
        const client = createRawClient(url)
        closers.push(() => client.socket.destroy())
        const before = started
        client.send(READY)
        await until(() => started === before + 1)
        client.send(SMALL.repeat(requests))
        await until(() => started === before + 1 + requests)
        return client
      },
    }
  }

  it("by one client close no other's connection: where too many wait, who sent the most is closed", async () => {
    const { going, logged, url, wait } = await open()
    const few = await wait(2)
    const many = await wait(MANY)
    const other = createRawClient(url)
    other.send(`${SMALL.repeat(20)}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    assert.equal((await other.ended()).match(/HTTP\/1\.1 404 /g)?.length, 21)
    assert.equal(await many.ended(), "")
    going.resolve()
    await few.receive(/(?:HTTP\/1\.1 404 [^]*){2}$/)
    assert.deepEqual(
      logged.map(({ fields, level, message }) => ({ fields, level, message })),
      [
        {
          fields: { because: "requests sent ahead", refused: 1 },
          level: "warn",
          message: "connections refused",
        },
      ],
    )
  })

  it("have room again once whoever sent the most is closed", async () => {
    const { logged, wait } = await open()
    for (let count = 0; count < 3; count += 1) {
      const many = await wait(MANY)
      const few = await wait(20)
      await many.ended()
      assert.equal(few.socket.destroyed, false)
    }
    assert.equal(logged.length, 1)
  })
})
