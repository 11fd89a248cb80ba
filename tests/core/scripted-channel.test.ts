/** The scripted channel keeps the promises that engine tests build on. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Submission } from "@safelight/core"
import { createSampleInputs, createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"

describe("a scripted channel", () => {
  it("replies in the order of its script, records every call, and rejects past its end", async () => {
    const channel = createScriptedChannel({
      submits: [new Error("unreachable"), { kind: "not-created", reason: "busy" }],
    })
    channel.willSubmit(({ task }) => ({ kind: "accepted", operation: task }))
    channel.willPoll({ kind: "running", pollAfterMs: 10 })
    await assert.rejects(submit(channel, "k1"), /unreachable/)
    assert.equal((await submit(channel, "k1")).kind, "not-created")
    assert.deepEqual(await submit(channel, "k2"), { kind: "accepted", operation: "t" })
    const poll = { ...toRequest("k2"), operation: "t", progress: 0 }
    assert.equal((await channel.poll(poll)).kind, "running")
    await assert.rejects(channel.poll(poll), /no reply left for poll/)
    await assert.rejects(submit(channel, "k3"), /no reply left for submit/)
    const methods = channel.calls.map(({ method }) => method)
    assert.deepEqual(methods, ["submit", "submit", "submit", "poll", "poll", "submit"])
    assert.deepEqual(channel.created, ["k2"])
  })

  it("answers a repeated key as its submission says, after a lost answer too", async () => {
    const lost = { kind: "lost", operation: "op" } as const
    const open = (submission: Submission) =>
      createScriptedChannel({ submission, submits: [lost, { kind: "accepted", operation: "two" }] })

    const keyed = open({ kind: "keyed", keyTtlMs: 1_000 })
    await assert.rejects(submit(keyed, "k"), /answer was lost/)
    assert.deepEqual(await submit(keyed, "k"), { kind: "accepted", operation: "op" })
    assert.deepEqual([keyed.created, keyed.find], [["k"], undefined])

    const lookup = open({ kind: "lookup", longestRequestMs: 1_000 })
    assert.equal(await lookup.find?.(toRequest("k")), null)
    await assert.rejects(submit(lookup, "k"), /answer was lost/)
    assert.deepEqual(await lookup.find?.(toRequest("k")), { operation: "op" })

    const unkeyed = open({ kind: "unkeyed" })
    await assert.rejects(submit(unkeyed, "k"), /answer was lost/)
    assert.deepEqual(await submit(unkeyed, "k"), { kind: "accepted", operation: "two" })
    assert.deepEqual([unkeyed.created, unkeyed.find], [["k", "k"], undefined])
  })
})

function submit(channel: ScriptedChannel, upstreamKey: string): ReturnType<typeof channel.submit> {
  return channel.submit(toRequest(upstreamKey))
}

function toRequest(upstreamKey: string): Parameters<ScriptedChannel["submit"]>[0] {
  const { signal } = new AbortController()
  const inputs = createSampleInputs()
  return { task: "t", account: "a", model: "model-a", inputs, parameters: {}, upstreamKey, signal }
}
