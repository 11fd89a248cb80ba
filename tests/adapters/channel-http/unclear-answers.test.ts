/** Answers about work that is over which say nothing: how often one has to come before it counts. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { createHttpChannel, type Unclear } from "@safelight/channel-http"
import { textToImage, type Json, type PollOutcome } from "@safelight/core"
import { createProvider, toReply, toRequest } from "./provider-world.ts"

const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const
const FAILED = { kind: "not-created", reason: "provider_failed" } as const
const WAITS = "channel-unavailable"

let next: PollOutcome | Unclear | undefined

const provider = createProvider(() => Promise.resolve(next))

const channel = createHttpChannel({ provider, key: "key" })
after(() => channel.close?.())

function unclear(status: number, json: Json = { detail: "Internal Server Error" }): Unclear {
  return { kind: "unclear", answer: toReply(status, json), meaning: FAILED }
}

/** The kinds of the outcomes, or the codes of the errors, of one poll for each answer. */
async function poll(upstreamKey: string, answers: readonly (typeof next)[]) {
  const kinds: string[] = []
  for (next of answers) {
    const work = { ...toRequest(textToImage.id, {}), upstreamKey, operation: {}, progress: 0 }
    try {
      // oxlint-disable-next-line no-await-in-loop -- one poll after the other
      kinds.push((await channel.poll(work)).kind)
    } catch (error) {
      kinds.push((error as { readonly code: string }).code)
    }
  }
  return kinds
}

function times<Value>(count: number, value: Value): Value[] {
  return Array.from({ length: count }, () => value)
}

describe("an answer about work that is over, which says nothing", () => {
  it("stands for what its declaration says at the fifth time, and begins anew after that", async () => {
    const kinds = await poll("1.1", times(6, unclear(500)))
    assert.deepEqual(kinds, [...times(4, WAITS), "not-created", WAITS])
  })

  it("is counted for each work by itself", async () => {
    const both = await Promise.all(["2.1", "3.1"].map((key) => poll(key, times(4, unclear(500)))))
    assert.deepEqual(both.flat(), times(8, WAITS))
  })

  for (const [name, other, told] of [
    ["another status", unclear(502), WAITS],
    ["other words", unclear(500, { detail: "Bad Gateway" }), WAITS],
    ["an answer that can't be read", undefined, WAITS],
    ["a sign of life", RUNNING, "running"],
  ] as const) {
    it(`begins anew after ${name}`, async () => {
      const answers = [...times(4, unclear(500)), other, ...times(4, unclear(500))]
      const kinds = [...times(4, WAITS), told, ...times(4, WAITS)]
      assert.deepEqual(await poll(`${name}.1`, answers), kinds)
    })
  }
})
