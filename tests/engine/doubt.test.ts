/** An unknown outcome: a state, resolved by what the channel makes of a repeat (design §5). */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  SafelightError,
  SILENT_LOG,
  type AbortSignalLike,
  type ChannelRequest,
  type Json,
  type Log,
  type PollRequest,
  type Submission,
  type SubmitOutcome,
} from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, type Scene, ACCEPTED, submitTo } from "./support.ts"

const LOST = { kind: "lost", operation: { id: 7 } } as const
const KEYED: Submission = { kind: "keyed", keyTtlMs: 3_600_000 }
const LOOKUP: Submission = { kind: "lookup", longestRequestMs: 5_000 }

function methods(channel: ScriptedChannel): string[] {
  return channel.calls.map(({ method }) => method)
}

/** A task in doubt whose call is still to be answered. */
async function createLate(log: Log = SILENT_LOG) {
  let answer!: (outcome: SubmitOutcome) => void
  const late = new Promise<SubmitOutcome>((resolve) => (answer = resolve))
  const channel = createScriptedChannel({ submits: [() => late] })
  const { scene, id } = await submitTo(channel, { log })
  await scene.clock.advance(30_000)
  assert.equal((await scene.read(id)).state, "doubtful")
  return { answer, channel, id, scene }
}

/** Stops a node dead: nothing it asks of its storage is ever answered. */
function freeze({ storage }: Scene): void {
  const never = (): Promise<never> => new Promise(() => {})
  const frozen = { append: never, take: never, release: never, heartbeat: never }
  Object.assign(storage, { ...frozen, listLeases: never, expire: never })
}

/** As where the row that the append was built on is gone. */
async function rejectAppend(): Promise<never> {
  throw new SafelightError({ code: "version-conflict", message: "there is no such task" })
}

async function advanceUntil(scene: Scene, isSo: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 100 && !(await isSo()); turns += 1) await scene.clock.advance(250)
  assert.ok(await isSo())
}

function toRejection(signal: AbortSignalLike): Promise<never> {
  const error = new SafelightError({ code: "channel-unavailable", message: "called off" })
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(error)))
}

/** A second node over what the first one stores, which is then frozen. */
function takeOver(scene: Scene, channel: ScriptedChannel): Scene {
  const { clock, artifacts } = scene
  const storage = { ...scene.storage }
  freeze(scene)
  return createScene({ channels: [channel], clock, storage, artifacts })
}

describe("a lost answer", () => {
  it("of a keyed channel is asked for again under the same key, and bought once", async () => {
    const channel = createScriptedChannel({
      submission: KEYED,
      submits: [LOST],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(5_000)
    const story = ["submitted", "dispatched", "doubted", "dispatched", "accepted", "succeeded"]
    assert.deepEqual(scene.story(id), story)
    assert.deepEqual(channel.created, [`${id}.1`])
    assert.equal((await scene.read(id)).attempt, 2)
    const submits = channel.calls.filter(({ method }) => method === "submit")
    const told = submits.map(({ request }) => "isRepeat" in request)
    assert.deepEqual(told, [false, true])
  })

  it("of a lookup channel is looked up once no request can be on its way, and adopted", async () => {
    const channel = createScriptedChannel({
      submission: LOOKUP,
      submits: [LOST],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    // A lease, ten seconds to leave, and five on its way.
    await scene.clock.advance(74_000)
    assert.deepEqual(methods(channel), ["submit"], "it asked while a request could be on its way")
    await scene.clock.advance(6_000)
    assert.deepEqual(methods(channel), ["submit", "find", "poll"])
    assert.deepEqual(scene.story(id).slice(2), ["doubted", "accepted", "succeeded"])
  })

  it("is adopted though what was written for the task is erased, where the channel can be asked", async () => {
    for (const submission of [LOOKUP, KEYED]) {
      const channel = createScriptedChannel({ submission, submits: [LOST], polls: [completed()] })
      const find = async (): Promise<{ readonly operation: Json }> => ({ operation: { id: 7 } })
      const asked: ScriptedChannel = { ...channel, find }
      const first = createScene({ channels: [asked] })
      const { id } = await first.submit()
      await first.clock.advance(1)
      assert.equal((await first.read(id)).state, "doubtful")
      assert.equal(await first.engine.erase({ account: "ada", id }), true)
      const scene = takeOver(first, asked)
      await scene.clock.advance(200_000)
      const story = ["submitted", "dispatched", "doubted", "accepted", "succeeded"]
      assert.deepEqual(scene.story(id), story, submission.kind)
      assert.deepEqual(channel.created, [`${id}.1`])
    }
  })

  it("of a lookup channel is asked for again after growing pauses where the look-up fails", async () => {
    const channel = createScriptedChannel({
      submission: LOOKUP,
      submits: [LOST],
      polls: [completed()],
    })
    const { find } = channel
    const asked: number[] = []
    const failing: ScriptedChannel = {
      ...channel,
      async find(request) {
        asked.push(scene.clock.monotonicNow())
        if (asked.length > 3) return (await find?.(request)) ?? null
        throw new SafelightError({ code: "channel-unavailable", message: "502" })
      },
    }
    const { scene, id } = await submitTo(failing)
    await scene.clock.advance(100_000)
    const [first = 0] = asked
    assert.deepEqual(
      asked.map((at) => at - first),
      [0, 1_000, 3_000, 7_000],
    )
    assert.deepEqual(scene.story(id).slice(2), ["doubted", "accepted", "succeeded"])
  })

  it("of a lookup channel that is found as its task ends is stopped, and named in the log", async () => {
    const { entries, log } = createLogRecorder()
    const { promise, resolve } = Promise.withResolvers<{ readonly operation: Json }>()
    const channel = createScriptedChannel({ submission: LOOKUP, submits: [LOST] })
    let answer: (() => void) | undefined
    const slow: ScriptedChannel = {
      ...channel,
      find({ signal }) {
        answer = () => resolve({ operation: { id: 7 } })
        return Promise.race([promise, toRejection(signal)])
      },
    }
    const { scene, id } = await submitTo(slow, { log })
    await scene.clock.advance(76_000)
    assert.ok(answer, "it was never looked up")
    const cancelled = scene.engine.cancel({ account: "ada", id })
    await advanceUntil(scene, async () => (await scene.read(id)).state === "failed")
    assert.equal((await cancelled)?.outcome, "unknown")
    answer()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).error?.code, "task_cancelled")
    const line = entries.find(({ message }) => message === "purchase not delivered")
    assert.deepEqual(line?.fields["operation"], { id: 7 })
    assert.deepEqual(methods(channel), ["submit", "cancel"])
  })

  it("of a lookup channel that knows nothing of it changes nothing once the task is not held any more", async () => {
    const { promise, resolve } = Promise.withResolvers<null>()
    const asked: string[] = []
    const slow: ScriptedChannel = {
      ...createScriptedChannel({ submission: LOOKUP, submits: [LOST] }),
      find({ task }) {
        asked.push(task)
        return promise
      },
    }
    const { scene, id } = await submitTo(slow, { settings: { pollTimeoutMs: 300_000 } })
    await scene.clock.advance(76_000)
    assert.deepEqual(asked, [id])
    Object.assign(scene.storage, { heartbeat: () => new Promise(() => {}) })
    await scene.clock.advance(61_000)
    resolve(null)
    await scene.clock.advance(1)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "doubted"])
  })

  it("of a lookup channel whose look-ups fail for good ends with its task", async () => {
    const channel = createScriptedChannel({ submission: LOOKUP, submits: [LOST] })
    const failing = { ...channel, find: () => Promise.reject(new TypeError("no route")) }
    const scene = createScene({ channels: [{ channel: failing }] })
    const { id } = await scene.submit()
    await scene.clock.advance(700_000)
    assert.equal((await scene.read(id)).error?.code, "upstream_outcome_unknown")
  })

  it("of a keyed channel is asked for again until somebody answers, however often that is", async () => {
    const channel = createScriptedChannel({
      submission: KEYED,
      // Created, and every answer for minutes is lost.
      submits: [LOST, ...Array.from({ length: 15 }, () => new Error("bad gateway")), ACCEPTED],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(599_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.deepEqual(channel.created, [`${id}.1`])
  })

  it("of a keyed channel that can be asked is looked up once it may not be repeated", async () => {
    const script = { submission: KEYED, submits: [ACCEPTED], polls: [completed()] }
    const scripted = createScriptedChannel(script)
    const channel = {
      ...scripted,
      // No answer ever comes, also to a repeat.
      async submit(request: ChannelRequest): Promise<never> {
        await scripted.submit(request)
        throw new Error("reset")
      },
      find: () => Promise.resolve({ operation: { id: 7 } }),
    }
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(100_000)
    assert.deepEqual(scene.story(id).slice(-3), ["doubted", "accepted", "succeeded"])
    assert.equal(scripted.created.length, 1)
  })

  it("of a lookup channel that knows nothing of it may be tried once more", async () => {
    const channel = createScriptedChannel({
      submission: LOOKUP,
      submits: [new Error("reset"), completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(90_000)
    assert.deepEqual(scene.story(id).slice(2), ["doubted", "deferred", "dispatched", "succeeded"])
    assert.equal(channel.created.length, 1)
  })

  it("of an unkeyed channel is never sent again: it fails at its end, uncharged", async () => {
    const channel = createScriptedChannel({ submits: [LOST] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(599_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    await scene.clock.advance(2_000)
    const task = await scene.read(id)
    assert.equal(task.error?.code, "upstream_outcome_unknown")
    assert.equal(task.chargeMicros, 0)
    assert.deepEqual(methods(channel), ["submit"])
  })

  it("is not asked for again once the key's lifetime is over", async () => {
    const channel = createScriptedChannel({
      submission: { kind: "keyed", keyTtlMs: 500 },
      submits: [LOST],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(601_000)
    assert.equal((await scene.read(id)).error?.code, "upstream_outcome_unknown")
    assert.deepEqual(methods(channel), ["submit"])
  })

  it("that comes after the time-out is adopted, not dropped", async () => {
    const channel = createScriptedChannel({
      submits: [
        async () => {
          await scene.clock.wait(25_000)
          return ACCEPTED
        },
      ],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(11_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    await scene.clock.advance(20_000)
    const story = ["submitted", "dispatched", "doubted", "accepted", "succeeded"]
    assert.deepEqual(scene.story(id), story)
    assert.equal(channel.created.length, 1)
  })

  it("that comes when the task is not there any more is stopped, and named in the log", async () => {
    const { entries, log } = createLogRecorder()
    const { answer, channel, id, scene } = await createLate(log)
    const gone = { append: rejectAppend, readTask: async () => undefined }
    Object.assign(scene.storage, gone)
    answer(ACCEPTED)
    await scene.clock.advance(1_000)
    const line = entries.find(({ message }) => message === "purchase not delivered")
    assert.deepEqual(line?.fields["task"], id)
    assert.deepEqual(line?.fields["operation"], { id: 7 })
    assert.equal(line?.fields["state"], "missing")
    assert.deepEqual(methods(channel), ["submit", "cancel"])
  })

  it("that comes within the grace of a stop is adopted before the stop is over", async () => {
    const { answer, id, scene } = await createLate()
    const stopped = scene.engine.stop({ graceMs: 5_000 })
    await scene.clock.advance(2_000)
    answer(ACCEPTED)
    await stopped
    assert.equal((await scene.read(id)).state, "running")
  })

  it("that comes after the engine has stopped changes nothing, and is named in the log", async () => {
    const { entries, log } = createLogRecorder()
    const { answer, id, scene } = await createLate(log)
    await scene.engine.stop()
    answer(ACCEPTED)
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    const line = entries.find(({ level }) => level === "error")
    assert.deepEqual([line?.fields["task"], line?.fields["operation"]], [id, { id: 7 }])
  })

  it("that comes when its work was proven void is no answer to the call that followed", async () => {
    const polls = [
      { kind: "not-created", reason: "produced_nothing" },
      ({ operation }: PollRequest) => {
        assert.deepEqual(operation, { id: 8 })
        return completed()
      },
    ] as const
    const answerAfter = (ms: number, id: number) => async (): Promise<SubmitOutcome> => {
      await scene.clock.wait(ms)
      return { kind: "accepted", operation: { id } }
    }
    // The first call answers while the second is under way.
    const submits = [answerAfter(92_000, 7), answerAfter(9_000, 8)]
    const scripted = createScriptedChannel({ submission: LOOKUP, submits, polls })
    const channel = { ...scripted, find: () => Promise.resolve({ operation: { id: 7 } }) }
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(91_000)
    const story = ["submitted", "dispatched", "doubted", "accepted", "deferred", "dispatched"]
    assert.deepEqual(scene.story(id), story)
    await scene.clock.advance(2_000)
    assert.deepEqual(scene.story(id), story)
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), [...story, "accepted", "succeeded"])
    assert.equal(methods(channel).filter((method) => method === "submit").length, 2)
  })
})

describe("a repeat under the same key", () => {
  it("that proves to have created nothing says nothing of the first call", async () => {
    const notCreated = { kind: "not-created", reason: "busy" } as const
    const channel = createScriptedChannel({
      submission: KEYED,
      submits: [
        // Created, the answer lost; the script then answers the repeat, as a shedding proxy would.
        new Error("reset"),
        notCreated,
        ACCEPTED,
      ],
      polls: [completed()],
    })
    const scene = createScene({ channels: [channel], settings: { maxAttempts: 5 } })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    const keys = channel.calls
      .filter(({ method }) => method === "submit")
      .map(({ request }) => request.upstreamKey)
    assert.deepEqual(keys, [`${id}.1`, `${id}.1`, `${id}.1`])
    assert.equal(scene.story(id).includes("deferred"), false)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("is not sent where the key ends before the call must", async () => {
    const channel = createScriptedChannel({
      submission: { kind: "keyed", keyTtlMs: 12_000 },
      submits: [LOST],
    })
    const scene = createScene({
      channels: [channel],
      async probe(point) {
        // The process stands still between the repeated intent and the call.
        const isRepeat = point === "dispatch:after-append" && channel.calls.length === 1
        if (isRepeat) await scene.clock.wait(5_000)
      },
    })
    await scene.submit()
    await scene.clock.advance(601_000)
    assert.deepEqual(methods(channel), ["submit"])
  })
})

describe("a node that is lost", () => {
  it("between its intent and the answer leaves a doubt to whoever takes over", async () => {
    const lost = createScriptedChannel({
      submission: KEYED,
      submits: [() => new Promise(() => {})],
    })
    const first = createScene({ channels: [lost], settings: { leaseMs: 60_000 } })
    const { id } = await first.submit()
    await first.clock.advance(1)
    assert.equal((await first.read(id)).state, "dispatching")
    const channel = createScriptedChannel({ submission: KEYED, submits: [completed()] })
    const second = takeOver(first, channel)
    await first.clock.advance(95_000)
    const story = ["submitted", "dispatched", "doubted", "dispatched", "succeeded"]
    assert.deepEqual(second.story(id), story)
    assert.deepEqual(channel.created, [`${id}.1`])
  })

  it("while it follows an operation loses nothing: any node polls it on", async () => {
    const first = createScene({
      channels: [
        createScriptedChannel({ submits: [ACCEPTED], polls: [() => new Promise(() => {})] }),
      ],
    })
    const { id } = await first.submit()
    await first.clock.advance(1)
    assert.equal((await first.read(id)).state, "running")
    const channel = createScriptedChannel({ polls: [completed()] })
    const second = takeOver(first, channel)
    await first.clock.advance(95_000)
    assert.deepEqual(second.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    const [poll] = channel.calls
    assert.ok(poll?.method === "poll" && "operation" in poll.request)
    assert.deepEqual(poll.request.operation, { id: 7 })
  })

  it("and wakes past its claim changes nothing more", async () => {
    let answer: (() => void) | undefined
    const late = createScriptedChannel({
      submission: KEYED,
      submits: [
        async () => {
          await new Promise<void>((resolve) => {
            answer = resolve
          })
          return new SafelightError({ code: "channel-unavailable", message: "gone" })
        },
      ],
    })
    const first = createScene({ channels: [late] })
    const { id } = await first.submit()
    await first.clock.advance(1)
    const thaw = { ...first.storage }
    const channel = createScriptedChannel({ submission: KEYED, submits: [completed()] })
    const second = takeOver(first, channel)
    await first.clock.advance(95_000)
    const before = second.story(id)
    assert.equal(before.at(-1), "succeeded")
    Object.assign(first.storage, thaw)
    answer?.()
    await first.clock.advance(1_000)
    assert.deepEqual(second.story(id), before)
  })
})
