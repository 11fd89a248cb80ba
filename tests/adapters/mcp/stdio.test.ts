/** The door over standard input, before a reader that takes its time, or more calls than it answers at once. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { PassThrough, Writable } from "node:stream"
import { describe, it, type TestContext } from "node:test"
import { setImmediate } from "node:timers/promises"
import { createClient } from "@safelight/client"
import { DEFAULTS, serveStdio } from "@safelight/mcp"
import { until } from "../../support/until.ts"

interface Answer {
  readonly id: number
  readonly error?: { readonly data: { readonly code: string } }
}

/** Before an API without models that answers when it is let. */
async function openDoor(t: TestContext, { isOpen = true }: { readonly isOpen?: boolean } = {}) {
  const answers: Answer[] = []
  let asked = 0
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  if (isOpen) open()
  const client = createClient({
    url: "http://host",
    key: "key",
    async fetch() {
      asked += 1
      await opened
      return Response.json({ models: [] })
    },
  })
  let take: (() => void) | undefined
  let isTaking = true
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      answers.push(JSON.parse(text) as Answer)
      if (isTaking) done()
      else take = done
    },
  })
  const input = new PassThrough()
  const onError = (error: unknown) => assert.fail(error as Error)
  const door = await serveStdio({ client, version: "1", input, output, onError })
  t.after(() => door.close())
  return {
    answers,
    asked: () => asked,
    door,
    input,
    open,
    output,
    /** Whether the reader takes what is written. */
    setTaking(wanted: boolean) {
      isTaking = wanted
      if (wanted) take?.()
    },
  }
}

/** As long as a short call is. */
const PAD = "x".repeat(1_000)

const toList = (id: number): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list", params: { _meta: { PAD } } })}\n`

describe("the door over standard input", () => {
  it("reads no more while nobody takes its answers, and then answers all", async (t) => {
    const { answers, asked, input, setTaking } = await openDoor(t)
    setTaking(false)
    const ALL = 3_000
    let sent = 0
    const sending = (async () => {
      for (; sent < ALL; sent += 1) {
        if (!input.write(toList(sent))) await once(input, "drain")
        // What is read from a pipe does not come in one turn of the event loop.
        await setImmediate()
      }
    })()
    let seen = -1
    // Nothing but the event loop is between the two.
    for (let turns = 0; turns < 200; turns = seen === sent ? turns + 1 : 0) {
      seen = sent
      await setImmediate()
    }
    assert.ok(sent < ALL)
    assert.ok(asked() > 0 && asked() <= 2 * DEFAULTS.callsAtOnce, String(asked()))
    assert.equal(answers.length, 1)
    setTaking(true)
    await sending
    await until(() => answers.length >= ALL)
    assert.equal(new Set(answers.map(({ id }) => id)).size, ALL)
    assert.equal(answers.length, ALL)
    assert.ok(answers.some(({ error }) => error === undefined))
  })

  it("answers so many calls at once, and refuses the others before they do anything", async (t) => {
    const { answers, asked, input, open } = await openDoor(t, { isOpen: false })
    const ids = Array.from({ length: DEFAULTS.callsAtOnce + 2 }, (_, id) => id)
    input.write(ids.map(toList).join(""))
    await until(() => answers.length === 2 || asked() > DEFAULTS.callsAtOnce)
    assert.deepEqual(
      answers.map(({ error, id }) => [id, error?.data.code]),
      ids.slice(-2).map((id) => [id, "concurrency_limit_exceeded"]),
    )
    assert.equal(asked(), DEFAULTS.callsAtOnce)
    open()
    await until(() => answers.length === ids.length)
    input.write(toList(ids.length))
    await until(() => answers.length === ids.length + 1)
    assert.equal(answers.filter(({ error }) => error !== undefined).length, 2)
  })

  it("ends once nobody can read its answers", async (t) => {
    const { door, input, output } = await openDoor(t)
    output.on("error", () => {})
    output.destroy(new Error("write EPIPE"))
    input.write(toList(1))
    await door.ended
  })
})
