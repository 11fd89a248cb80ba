/** What every stub has from its frame: faults, the ledger, files and their ranges, many at once. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUB_FAULTS, STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"

const headers = { authorization: "Key test" }
const PATH = "owner/app/make"

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["fal"]!(options)

function submit(stub: RunningStub, signal?: AbortSignal) {
  const body = { prompt: "a fox" }
  return callJson(`${stub.url}/${PATH}`, { headers, body, ...(signal && { signal }) })
}

describe("a fault of a create", () => {
  const SEEN: Readonly<Record<string, readonly [status: number | "cut", purchases: number]>> = {
    reset: ["cut", 1],
    "server-error": [500, 1],
    "gateway-error": [502, 1],
    html: [200, 1],
    empty: [200, 1],
    truncated: [200, 1],
    redirect: [307, 1],
    busy: [429, 0],
    "busy-seconds": [429, 0],
    "busy-date": [429, 0],
  }

  for (const fault of STUB_FAULTS.create.filter((each) => each !== "slow")) {
    it(`strikes as often as it is told, then never: ${fault}`, async () => {
      await using stub = await start({ faults: { create: fault, times: 1 } })
      const answer = await submit(stub).catch(() => ({ status: "cut", body: undefined }))
      assert.deepEqual([answer.status, stub.purchases.length], SEEN[fault])
      if (answer.status === 200) assert.equal(answer.body, undefined, "it is no JSON")
      assert.equal((await submit(stub)).body.status, "IN_QUEUE")
    })
  }

  it("makes the reply late, until nobody listens", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, faults: { create: "slow" }, slowMs: 5_000 })
    const leaving = new AbortController()
    const left = submit(stub, leaving.signal)
    await waitFor(() => clock.pendingWaits() === 1)
    leaving.abort()
    await assert.rejects(left)
    await waitFor(() => clock.pendingWaits() === 0)
    const late = submit(stub)
    await waitFor(() => clock.pendingWaits() === 1)
    await clock.advance(5_000)
    assert.equal((await late).status, 200)
    assert.equal(stub.purchases.length, 2)
  })

  it("says when to come back, in seconds and as a date", async () => {
    await using stub = await start({ faults: { create: "busy-seconds" } })
    assert.equal((await submit(stub)).headers.get("retry-after"), "1")
    stub.setFaults({ create: "busy-date" })
    const { headers: told } = await submit(stub)
    const waitMs = Date.parse(told.get("retry-after") ?? "") - Date.parse(told.get("date") ?? "")
    assert.ok(waitMs === 2_000 || waitMs === 3_000, `${waitMs}`)
    stub.setFaults({ create: "busy" })
    assert.equal((await submit(stub)).headers.get("retry-after"), null)
  })
})

describe("a fault of a poll", () => {
  for (const fault of STUB_FAULTS.poll.filter((each) => each !== "slow")) {
    it(`hides what is there, and leaves it there: ${fault}`, async () => {
      await using stub = await start({ runMs: 0 })
      const { body } = await submit(stub)
      stub.setFaults({ poll: fault })
      const hidden = await callJson(body.status_url, { headers }).catch(() => undefined)
      assert.notEqual(hidden?.body?.status, "COMPLETED")
      stub.setFaults({})
      assert.equal((await callJson(body.status_url, { headers })).body.status, "COMPLETED")
    })
  }
})

describe("a file of a stub", () => {
  async function open(options: StubOptions = {}) {
    const stub = await start({ runMs: 0, ...options })
    const { body } = await submit(stub)
    const { url } = (await callJson(body.response_url, { headers })).body.images[0]
    const whole = await (await fetch(url)).bytes()
    return { stub, url: String(url), whole }
  }

  it("is the same at every fetch, another for every output, and served in parts", async () => {
    const { stub, url, whole } = await open()
    await using _ = stub
    assert.deepEqual(await (await fetch(url)).bytes(), whole)
    const head = await fetch(url, { method: "HEAD" })
    assert.equal(head.headers.get("content-length"), String(whole.length))
    const etag = head.headers.get("etag") ?? ""
    const ask = async (range: string, condition = etag) => {
      const answer = await fetch(url, { headers: { range, "if-range": condition } })
      return [answer.status, answer.headers.get("content-range"), await answer.bytes()]
    }
    const size = whole.length
    assert.deepEqual(await ask("bytes=10-19"), [206, `bytes 10-19/${size}`, whole.slice(10, 20)])
    assert.deepEqual(await ask(`bytes=${size - 5}-`), [
      206,
      `bytes ${size - 5}-${size - 1}/${size}`,
      whole.slice(-5),
    ])
    assert.deepEqual((await ask("bytes=-5"))[2], whole.slice(-5))
    assert.deepEqual(await ask("bytes=10-19", '"other"'), [200, null, whole])
    assert.equal((await ask(`bytes=${size}-`))[0], 416)
  })

  it("needs no key", async () => {
    const { stub, url } = await open()
    await using _ = stub
    assert.equal((await fetch(url)).status, 200)
    const asked = stub.requests.filter(({ path }) => path.includes("/files/"))
    assert.ok(asked.every((request) => request.headers["authorization"] === undefined))
  })

  it("may be cut, announced wrongly, something else, elsewhere or gone", async () => {
    const { stub, url, whole } = await open()
    await using _ = stub
    const seen: Record<string, unknown> = {}
    for (const fault of STUB_FAULTS.download.filter((each) => each !== "slow")) {
      stub.setFaults({ download: fault })
      const range = fault === "without-ranges" ? { range: "bytes=1-2" } : undefined
      seen[fault] = await fetch(url, { redirect: "manual", ...(range && { headers: range }) })
        .then(async (answer) => [answer.status, (await answer.bytes()).length])
        .catch(() => "cut")
    }
    assert.deepEqual(seen, {
      reset: "cut",
      "server-error": [500, 64],
      html: [200, 69],
      empty: [200, 0],
      truncated: "cut",
      "too-long": "cut",
      "too-short": [200, Math.floor(whole.length / 2)],
      redirect: [307, 0],
      gone: [404, 22],
      expired: [410, 22],
      disguised: [200, 69],
      mistyped: [200, whole.length],
      "without-ranges": [200, whole.length],
    })
  })

  it("may stop halfway", async () => {
    const clock = createManualClock()
    const { stub, url, whole } = await open({ clock })
    await using _ = stub
    stub.setFaults({ download: "slow" })
    const answer = await fetch(url)
    const reading = answer.bytes()
    await waitFor(() => clock.pendingWaits() === 1)
    await clock.advance(120_000)
    assert.deepEqual(await reading, whole)
  })

  it("may be larger than memory", async () => {
    await using stub = await start({ runMs: 0, filmBytes: 8 * 1024 ** 3 })
    const { body } = await callJson(`${stub.url}/owner/video`, { headers, body: { prompt: "a" } })
    const { url, file_size: size } = (await callJson(body.response_url, { headers })).body.video
    assert.equal(size, 8 * 1024 ** 3)
    const range = { range: `bytes=${size - 3}-` }
    assert.deepEqual(await (await fetch(url, { headers: range })).bytes(), new Uint8Array(3))
  })
})

describe("a stub", () => {
  it("refuses a fault that it doesn't have", async () => {
    await using stub = await start()
    const nonsense = "nonsense" as "reset"
    assert.throws(() => stub.setFaults({ create: nonsense }), RangeError)
    assert.throws(() => stub.setFaults({ own: ["nonsense"] }), RangeError)
    await assert.rejects(start({ faults: { poll: nonsense } }), RangeError)
  })

  it("tells moments by a clock of its own, that may be wrong", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, faults: { skewMs: 3_600_000 } })
    const { headers: told } = await submit(stub)
    assert.equal(Date.parse(told.get("date") ?? "") - clock.now(), 3_600_000)
    assert.equal(stub.purchases[0]?.at, clock.now(), "the ledger has the true moment")
  })

  it("keeps the latest requests, with headers", async () => {
    await using stub = await start()
    await submit(stub)
    const [request] = stub.requests
    assert.deepEqual([request?.method, request?.path], ["POST", `/${PATH}`])
    assert.equal(request?.headers["authorization"], "Key test")
  })

  it("closes with replies under way, and leaves nothing open", async () => {
    const stub = await start({ faults: { create: "slow" } })
    const cut = assert.rejects(submit(stub))
    await waitFor(() => stub.purchases.length === 1)
    await stub[Symbol.asyncDispose]()
    await cut
    await assert.rejects(fetch(stub.url))
  })
})

async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
