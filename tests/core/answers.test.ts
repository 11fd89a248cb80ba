/** Answers of other people's servers: bounded, and nothing where they say nothing. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { gatherBody, parseJson, toRetryAfterMs } from "@safelight/core"

describe("a gathered body", () => {
  async function* toBody(sizes: readonly number[], onEnd = () => {}): AsyncGenerator<Uint8Array> {
    try {
      for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index + 1)
    } finally {
      onEnd()
    }
  }

  it("is all of its chunks in their order, up to the bound", async () => {
    assert.deepEqual(await gatherBody(toBody([2, 0, 1]), 3), Uint8Array.of(1, 1, 3))
    assert.deepEqual(await gatherBody(toBody([]), 0), new Uint8Array())
  })

  it("is left where it is longer than the bound", async () => {
    let asked = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1
        yield new Uint8Array(2)
      }
    }
    assert.equal(await gatherBody(endless(), 3), undefined)
    assert.equal(asked, 2)
    let hasEnded = false
    assert.equal(
      await gatherBody(
        toBody([4, 4], () => (hasEnded = true)),
        3,
      ),
      undefined,
    )
    assert.ok(hasEnded, "nobody closed it")
  })

  it("rejects as the body does", async () => {
    const failure = new Error("gone")
    const body = (async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1)
      throw failure
    })()
    await assert.rejects(gatherBody(body, 10), failure)
  })
})

describe("the text of an answer", () => {
  it("is JSON, or says nothing", () => {
    assert.deepEqual(parseJson('{"a":[1,null]}'), { a: [1, null] })
    assert.equal(parseJson("null"), null)
    for (const text of ["", "<html>", '{"a":1']) assert.equal(parseJson(text), undefined, text)
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1)

  it("is seconds or a date, and no time ago", () => {
    assert.equal(toRetryAfterMs("7", now), 7_000)
    assert.equal(toRetryAfterMs(" 0 ", now), 0)
    assert.equal(toRetryAfterMs(new Date(now + 90_000).toUTCString(), now), 90_000)
    assert.equal(toRetryAfterMs(new Date(now - 90_000).toUTCString(), now), 0)
  })

  it("is nothing in any other form", () => {
    for (const header of ["", "soon", "7 s"]) {
      assert.equal(toRetryAfterMs(header, now), undefined, header)
    }
  })
})
