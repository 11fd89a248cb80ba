/** When work is polled: by what its channel allows, less and less often, and never all at once. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type Channel } from "@safelight/core"
import { createScriptedChannel, type PollReply } from "@safelight/testkit"
import { completed, createScene, type SceneOptions } from "./support.ts"

const EVERY = { shortestMs: 2_000, longestMs: 15_000 }
const ACCEPTED = { kind: "accepted", operation: { id: "7" } } as const
const POLLS = 12
const TASKS = 20
/** Without what is added at random. */
const GROWING = [2_000, 3_000, 4_500, 6_750, 10_125, ...Array.from({ length: 7 }, () => 15_000)]

describe("the pauses between polls", () => {
  it("grow from the shortest to the longest, and are some longer than they must be", async () => {
    for (const pauses of await observe({})) {
      for (const [index, pause] of pauses.entries()) assertAbout(pause, GROWING[index] ?? 0)
    }
  })

  it("are no shorter than the channel asks for at the moment", async () => {
    const polls = Array.from(
      { length: POLLS },
      () => ({ kind: "running", pollAfterMs: 9_000 }) as const,
    )
    for (const pauses of await observe({ polls })) {
      for (const [index, pause] of pauses.entries()) {
        assertAbout(pause, [9_000, 13_500][index] ?? 15_000)
      }
    }
  })

  it("drift apart where tasks were taken on together, and are the same at each run", async () => {
    const all = await observe({})
    const moments = all.map((pauses) => pauses.reduce((sum, pause) => sum + pause, 0))
    assert.ok(new Set(moments).size > TASKS / 2, JSON.stringify(moments))
  })

  it("are longer where verified callbacks are to come, and end all the same", async () => {
    const called = { hasVerifiedCallbacks: true } as const
    for (const pauses of await observe({ channel: called, publicUrl: "https://api.example" })) {
      for (const [index, pause] of pauses.entries()) assertAbout(pause, (GROWING[index] ?? 0) * 3)
    }
    // Nobody can call a service that has no address.
    for (const pauses of await observe({ channel: called })) {
      for (const [index, pause] of pauses.entries()) assertAbout(pause, GROWING[index] ?? 0)
    }
  })

  it("are as long as a provider says that is asked too often", async () => {
    const polls = Array.from({ length: POLLS }, () => toBusy(40_000))
    for (const pauses of await observe({ polls })) {
      for (const pause of pauses) assertAbout(pause, 40_000)
    }
  })

  it("are no shorter after failures than between answers", async () => {
    const polls = Array.from({ length: 3 }, () => toBusy(undefined))
    for (const pauses of await observe({ polls })) {
      for (const pause of pauses) assertAbout(pause, 2_000, 4_000)
    }
  })
})

interface Observed extends Pick<SceneOptions, "publicUrl"> {
  readonly polls?: readonly PollReply[]
  readonly channel?: Partial<Channel>
}

/** The pauses of some tasks that were submitted at one moment, each in order. */
async function observe({ channel: more, polls, publicUrl }: Observed) {
  const answers =
    polls ?? Array.from({ length: POLLS }, () => ({ kind: "running", pollAfterMs: 0 }) as const)
  const moments = new Map<string, number[]>()
  const script = new Map<string, PollReply[]>()
  const scripted = createScriptedChannel({
    concurrency: TASKS,
    submits: Array.from({ length: TASKS }, () => ACCEPTED),
  })
  const channel: Channel = {
    ...scripted,
    ...more,
    pollEvery: EVERY,
    receive: async () => ({ kind: "ignored" }),
    async poll({ task }) {
      const own = script.get(task) ?? [...answers, completed()]
      script.set(task, own)
      moments.set(task, [...(moments.get(task) ?? []), scene.clock.monotonicNow()])
      const reply = own.shift()
      if (reply instanceof Error) throw reply
      assert.ok(typeof reply === "object")
      return reply
    },
  }
  const settings = { endAfterMs: 3_600_000, leaseMs: 60_000 }
  const options = publicUrl === undefined ? {} : { publicUrl }
  const scene = createScene({ channels: [{ channel }], settings, ...options })
  const tasks = await Promise.all(Array.from({ length: TASKS }, () => scene.submit()))
  for (let minute = 0; minute < 40; minute += 1) await scene.clock.advance(30_000)
  const ended = await Promise.all(tasks.map(({ id }) => scene.read(id)))
  assert.ok(ended.every(({ state }) => state === "succeeded.available"))
  await scene.engine.stop()
  return [...moments.values()].map((all) => all.slice(1).map((at, index) => at - (all[index] ?? 0)))
}

function assertAbout(pause: number, leastMs: number, mostMs = leastMs): void {
  assert.ok(pause >= leastMs && pause <= mostMs * 1.25 + 1, `${pause} is not about ${leastMs}`)
}

function toBusy(retryAfterMs: number | undefined): SafelightError {
  const more = retryAfterMs === undefined ? {} : { retryAfterMs }
  const message = "too many requests"
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, ...more })
}
