/** What time does: deadlines, expiry, removal of bytes, orphans; and stopping in the midst of it. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { SafelightError, type PriceBook } from "@safelight/core"
import { createScriptedChannel, type PollReply, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, PRICES, type Scene, submitTo } from "./support.ts"

const DAY_MS = 86_400_000

async function createFinished(): Promise<{ scene: Scene; id: string }> {
  const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
  const { id } = await scene.submit()
  await scene.engine.finished(id)
  return { scene, id }
}

describe("a sweep", () => {
  it("fails what is past its end, also where every channel is full", async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const channel = createScriptedChannel({ concurrency: 1, submits: [never, never] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const tasks = [await scene.submit(), await scene.submit()]
    const early = await scene.engine.sweep(scene.clock.now() + 599_999)
    assert.equal(early.timedOut, 0)
    const report = await scene.engine.sweep(scene.clock.now() + 600_000)
    assert.equal(report.timedOut, 2)
    for (const { id } of tasks) {
      assert.equal((await scene.read(id)).error?.code, "provider_unavailable")
      assert.equal((await scene.read(id)).progress, 0)
    }
  })

  it("records the expiry when the last artifact's time has passed, and not before", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + 14 * DAY_MS - 1)).expired, 0)
    assert.equal((await scene.engine.sweep(finishedAt + 14 * DAY_MS)).expired, 1)
    const task = await scene.read(id)
    assert.equal(task.state, "succeeded.expired")
    assert.equal(task.artifacts.length, 1, "expired artifacts stay listed")
    assert.equal(scene.artifacts.locators.size, 1, "bytes go a day later")
  })

  it("erases what a person wrote once its time has passed, and keeps the key and the log", async () => {
    const scene = createScene({
      channels: [createScriptedChannel({ submits: [completed()] })],
      settings: { inputRetentionMs: 3 * DAY_MS },
    })
    const request = { account: "ada", model: "model-a", parameters: { prompt: "a quiet harbour" } }
    const idempotency = { key: "mine", fingerprint: "ab".repeat(32) }
    const sent = await scene.engine.submit({ ...request, idempotency })
    assert.ok(sent.kind === "submitted")
    const { id } = sent.task
    await scene.engine.finished(id)
    const { finishedAt } = await scene.read(id)
    const story = scene.story(id)
    assert.equal((await scene.engine.sweep(finishedAt + 3 * DAY_MS - 1)).erased, 0)
    assert.equal(scene.storage.inputs.size, 1)
    assert.equal((await scene.engine.sweep(finishedAt + 3 * DAY_MS)).erased, 1)
    assert.equal(scene.storage.inputs.size, 0)
    assert.deepEqual(scene.story(id), story)
    const again = await scene.engine.submit({ ...request, idempotency })
    assert.ok(again.kind === "submitted" && again.isReplayed)
  })

  it("removes the bytes a day after expiry, once, and then forgets the task", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    const report = await scene.engine.sweep(finishedAt + 15 * DAY_MS)
    const nothing = { timedOut: 0, expired: 0, removed: 0, erased: 0, forgotten: 0, failed: 0 }
    assert.deepEqual(report, { ...nothing, expired: 1, removed: 1, erased: 1 })
    assert.equal(scene.artifacts.locators.size, 0)
    const again = await scene.engine.sweep(finishedAt + 99 * DAY_MS)
    assert.deepEqual(again, nothing)
  })

  it("leaves the bytes where they are until that day is over", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + 15 * DAY_MS - 1)).removed, 0)
    assert.equal(scene.artifacts.locators.size, 1)
    assert.equal((await scene.engine.sweep(finishedAt + 15 * DAY_MS)).removed, 1)
  })

  it("removes orphans of a finished task after a day, and nothing of its manifest", async () => {
    const { scene, id } = await createFinished()
    const orphan = { task: id, key: "image_1", body: completed("orphan").outputs[0].open() }
    await scene.artifacts.put(orphan)
    const { finishedAt, artifacts } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + DAY_MS - 1)).removed, 0)
    assert.equal((await scene.engine.sweep(finishedAt + DAY_MS)).removed, 1)
    assert.deepEqual([...scene.artifacts.locators.keys()], [artifacts[0]?.locator])
  })

  it("goes on where one task can't be tended, counts it, and finds it again", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    scene.storage.failAppends(99)
    const failing = scene.engine.sweep(finishedAt + 15 * DAY_MS)
    await scene.clock.advance(10_000)
    scene.storage.failAppends(0)
    await scene.clock.advance(60_000)
    assert.equal((await failing).expired, 1)
  })
})

describe("an overdue task", () => {
  it("ends also where its channel fails to cancel, or never answers", async () => {
    const accepted = { kind: "accepted", operation: 1 } as const
    const quiet = (): Promise<never> => new Promise(() => {})
    for (const cancel of [() => Promise.reject(new TypeError("fetch failed")), quiet]) {
      const channel = createScriptedChannel({ submits: [accepted], polls: [quiet] })
      const scene = createScene({ channels: [{ channel: { ...channel, cancel } }] })
      const { id } = await scene.submit()
      await scene.clock.advance(1)
      const sweeping = scene.engine.sweep(scene.clock.now() + 1_200_000)
      await scene.clock.advance(30_000)
      assert.equal((await sweeping).timedOut, 1)
      assert.equal((await scene.read(id)).error?.code, "generation_timeout")
    }
  })
})

describe("a running task past its end", () => {
  const accepted = { kind: "accepted", operation: 1 } as const

  /** A task that runs at its channel, held by nobody: its process is gone. */
  async function createLeft(polls: readonly PollReply[]) {
    const first = createScene({
      channels: [createScriptedChannel({ submits: [accepted], polls: [never] })],
    })
    const { id } = await first.submit()
    await first.clock.advance(1)
    await first.engine.stop()
    const { clock, storage, artifacts } = first
    const channel = createScriptedChannel({ polls: [...polls] })
    const shared = { channels: [channel], clock, storage, artifacts }
    return { channel, id, scene: createScene({ ...shared, isStarted: false }) }
  }

  const never = (): Promise<never> => new Promise(() => {})

  it("is asked for a last time, and a result that is ready is kept", async () => {
    const { channel, id, scene } = await createLeft([completed()])
    const report = await scene.engine.sweep(scene.clock.now() + 7_200_000)
    assert.deepEqual([report.timedOut, report.failed], [0, 0])
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.deepEqual(
      channel.calls.map(({ method }) => method),
      ["poll"],
    )
  })

  it("fails where it still runs, and its channel is asked to stop", async () => {
    const { channel, id, scene } = await createLeft([{ kind: "running", pollAfterMs: 1_000 }])
    assert.equal((await scene.engine.sweep(scene.clock.now() + 600_000)).timedOut, 1)
    assert.equal((await scene.read(id)).error?.code, "generation_timeout")
    assert.deepEqual(
      channel.calls.map(({ method }) => method),
      ["poll", "cancel"],
    )
  })

  it("stays open for an hour where its result is ready and can't be stored", async () => {
    const { id, scene } = await createLeft([completed(), completed(), completed()])
    const { endBy } = await scene.read(id)
    scene.artifacts.failPuts(2)
    assert.equal((await scene.engine.sweep(endBy)).failed, 1)
    assert.equal((await scene.read(id)).state, "running")
    assert.equal((await scene.engine.sweep(endBy + 3_599_999)).failed, 1)
    assert.equal((await scene.read(id)).state, "running")
    await scene.engine.sweep(endBy + 3_600_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("fails where its result could not be stored for an hour", async () => {
    const { id, scene } = await createLeft([completed()])
    const { endBy } = await scene.read(id)
    scene.artifacts.failPuts(1)
    assert.equal((await scene.engine.sweep(endBy + 3_600_000)).timedOut, 1)
    const { chargeMicros, error } = await scene.read(id)
    assert.deepEqual([error?.code, chargeMicros], ["internal_error", 0])
  })

  it("is left to whoever holds it, who may be storing its result", async () => {
    const slow = { ...completed(), outputs: [{ mimeType: "image/png", open: trickle }] } as const
    async function* trickle(): AsyncGenerator<Uint8Array> {
      await scene.clock.wait(15_000)
      yield Buffer.from("picture")
    }
    const polls = [{ kind: "running", pollAfterMs: 590_000 } as const, slow]
    const channel = createScriptedChannel({ submits: [accepted], polls })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(600_001)
    assert.equal((await scene.engine.sweep()).timedOut, 0)
    await scene.clock.advance(20_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("is left for a while to those who serve its channel", async () => {
    const { id, scene } = await createLeft([])
    const { endBy } = await scene.read(id)
    const other = createScriptedChannel({ name: "other" })
    const { clock, storage, artifacts } = scene
    const apart = createScene({ channels: [other], clock, storage, artifacts, isStarted: false })
    assert.equal((await apart.engine.sweep(endBy + 599_999)).timedOut, 0)
    assert.equal((await apart.engine.sweep(endBy + 600_000)).timedOut, 1)
    assert.equal((await scene.read(id)).state, "failed")
  })
})

describe("a running task past its end that nobody can settle now", () => {
  const accepted = { kind: "accepted", operation: "op-7" } as const
  const silent = { kind: "running", pollAfterMs: 3_600_000 } as const
  const failing = new SafelightError({ code: "channel-unavailable", message: "502" })

  const both: PriceBook = [...PRICES, { ...PRICES[0], version: "2" }]

  async function createLeft(polls: readonly PollReply[], isPriced = true) {
    const first = createScene({
      channels: [createScriptedChannel({ submits: [accepted], polls: [silent] })],
      prices: both,
    })
    const { id } = await first.submit()
    await first.clock.advance(1)
    await first.engine.stop()
    const { entries, log } = createLogRecorder()
    const { clock, storage, artifacts } = first
    const channel = createScriptedChannel({ polls })
    const prices = isPriced ? both : PRICES
    const shared = { channels: [channel], clock, storage, artifacts, log, prices }
    const scene = createScene({ ...shared, isStarted: false })
    return { channel, entries, id, scene, endBy: (await scene.read(id)).endBy }
  }

  const listMethods = ({ calls }: ScriptedChannel): string[] => calls.map(({ method }) => method)

  it("keeps its result where its channel fails and answers later", async () => {
    const { channel, endBy, id, scene } = await createLeft([failing, completed()])
    assert.equal((await scene.engine.sweep(endBy)).timedOut, 0)
    assert.deepEqual([(await scene.read(id)).state, listMethods(channel)], ["running", ["poll"]])
    await scene.engine.sweep(endBy + 60_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("is named with its operation and ends where its channel fails for ten minutes", async () => {
    const { channel, endBy, entries, id, scene } = await createLeft([failing])
    assert.equal((await scene.engine.sweep(endBy + 600_000)).timedOut, 1)
    assert.deepEqual(listMethods(channel), ["poll", "cancel"])
    assert.equal((await scene.read(id)).error?.code, "generation_timeout")
    const error = entries.find(({ level }) => level === "error")
    assert.deepEqual(error?.fields, { task: id, channel: "scripted", operation: "op-7" })
  })

  it("is not given up because the storage fails while its request is read", async () => {
    const { channel, endBy, id, scene } = await createLeft([completed()])
    const { readInput } = scene.storage
    scene.storage.readInput = () => Promise.reject(failing)
    assert.equal((await scene.engine.sweep(endBy + 600_000)).failed, 1)
    assert.deepEqual([(await scene.read(id)).state, channel.calls], ["running", []])
    scene.storage.readInput = readInput
    await scene.engine.sweep(endBy + 660_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("is stopped by its operation alone where the storage fails while its request is read", async () => {
    const { channel, endBy, id, scene } = await createLeft([completed()], false)
    scene.storage.readInput = () => Promise.reject(failing)
    assert.equal((await scene.engine.sweep(endBy + 600_000)).timedOut, 1)
    assert.deepEqual(listMethods(channel), ["cancel"])
    const [call] = channel.calls
    assert.ok(call !== undefined && "operation" in call.request)
    assert.deepEqual([call.request.operation, call.request.parameters], ["op-7", undefined])
    assert.equal((await scene.read(id)).error?.code, "generation_timeout")
  })

  it("ends after ten minutes where nobody has its prices, unasked, and is stopped", async () => {
    const { channel, endBy, entries, id, scene } = await createLeft([completed()], false)
    assert.equal((await scene.engine.sweep(endBy + 599_999)).timedOut, 0)
    assert.equal((await scene.engine.sweep(endBy + 600_000)).timedOut, 1)
    assert.deepEqual(listMethods(channel), ["cancel"])
    assert.deepEqual((await scene.read(id)).chargeMicros, 0)
    assert.equal(entries.filter(({ level }) => level === "error").length, 1)
  })

  it("is asked again at a measured pace by the process that has it", async () => {
    const polls: PollReply[] = [silent, ...Array.from({ length: 99 }, () => failing), completed()]
    const channel = createScriptedChannel({ submits: [accepted], polls })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(600_000 + 590_000)
    const asked = listMethods(channel).length - 2
    assert.ok(asked > 5 && asked < 30, `asked ${asked} times in ten minutes`)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(90_000)
    assert.equal((await scene.read(id)).error?.code, "generation_timeout")
  })
})

describe("many tasks past their end at a channel that is silent", () => {
  it("end in a few rounds of its time, and not one after the other", async () => {
    const quiet = (): Promise<never> => new Promise(() => {})
    const submits = Array.from({ length: 40 }, () => ({ kind: "accepted", operation: 1 }) as const)
    const polls = Array.from({ length: 99 }, () => quiet)
    const channel = createScriptedChannel({ concurrency: 40, submits, polls })
    const scene = createScene({ channels: [{ channel: { ...channel, cancel: quiet } }] })
    for (let count = 0; count < 40; count += 1) await scene.submit()
    await scene.clock.advance(1)
    const sweeping = scene.engine.sweep(scene.clock.now() + 1_200_000)
    // Three rounds of sixteen, a poll and a cancellation of five seconds each.
    await scene.clock.advance(35_000)
    assert.equal((await sweeping).timedOut, 40)
  })
})

describe("a bucket that lists nothing", () => {
  it("keeps no prompt from being erased and no expiry from being recorded", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    const message = "credentials have ended"
    const { list } = scene.artifacts
    scene.artifacts.list = () =>
      Promise.reject(new SafelightError({ code: "artifacts-unavailable", message }))
    const report = await scene.engine.sweep(finishedAt + 15 * DAY_MS)
    assert.equal(report.failed, 1)
    assert.equal(scene.storage.inputs.size, 0)
    assert.equal((await scene.read(id)).state, "succeeded.expired")
    assert.equal(scene.artifacts.locators.size, 1)
    scene.artifacts.list = list
    assert.equal((await scene.engine.sweep(finishedAt + 15 * DAY_MS)).removed, 1)
    assert.equal(scene.artifacts.locators.size, 0)
  })
})

/** Counts the calls of `list` from now on. */
function countLists({ artifacts }: Scene): () => number {
  const { list } = artifacts
  let count = 0
  artifacts.list = (task) => {
    count += 1
    return list(task)
  }
  return () => count
}

describe("what a sweep asks of a bucket", () => {
  it("is nothing for a task that no channel was called for", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    await scene.submit()
    const endBy = scene.clock.now() + 600_000
    assert.equal((await scene.engine.sweep(endBy)).timedOut, 1)
    const countCalls = countLists(scene)
    await scene.engine.sweep(endBy + DAY_MS)
    assert.equal((await scene.engine.sweep(endBy + 20 * DAY_MS)).erased, 1)
    assert.equal(countCalls(), 0)
  })

  it("is a list a day after a task's end and one after its expiry, and no other", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    const countCalls = countLists(scene)
    const counts: number[] = []
    for (const day of [1, 2, 14, 14.5, 15, 16]) {
      await scene.engine.sweep(finishedAt + day * DAY_MS)
      counts.push(countCalls())
    }
    assert.deepEqual(counts, [1, 1, 1, 1, 2, 2])
  })

  it("makes up with its last look for those that no sweep came for", async () => {
    const { scene, id } = await createFinished()
    await scene.artifacts.put({ task: id, key: "image_1", body: completed().outputs[0].open() })
    const { finishedAt } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + 99 * DAY_MS)).removed, 2)
  })

  it("is no more once it has failed for as many tasks as are visited at once", async () => {
    const submits = Array.from({ length: 100 }, () => completed())
    const scene = createScene({ channels: [createScriptedChannel({ submits })] })
    for (let count = 0; count < 100; count += 1) await scene.submit()
    await scene.clock.advance(1_000)
    const message = "credentials have ended"
    const { list } = scene.artifacts
    let calls = 0
    scene.artifacts.list = () => {
      calls += 1
      return Promise.reject(new SafelightError({ code: "artifacts-unavailable", message }))
    }
    const at = scene.clock.now() + 16 * DAY_MS
    const { erased, expired, failed } = await scene.engine.sweep(at)
    assert.deepEqual([erased, expired, failed], [100, 100, 100])
    assert.ok(calls < 100, `listed ${calls} times`)
    scene.artifacts.list = list
    assert.equal((await scene.engine.sweep(at)).removed, 100)
  })

  it("costs half a minute where it hangs, and no task its end meanwhile", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    const waiting = createScene({ ...scene, channels: [createScriptedChannel()], isStarted: false })
    await waiting.submit()
    scene.artifacts.list = () => new Promise(() => {})
    const at = finishedAt + 16 * DAY_MS
    const retention = waiting.engine.sweep(at, "retention")
    assert.equal((await waiting.engine.sweep(at, "overdue")).timedOut, 1)
    await scene.clock.advance(31_000)
    const { expired, failed, timedOut } = await retention
    assert.deepEqual([expired, failed, timedOut], [1, 1, 0])
  })
})

/** The same bytes in each run: which tasks two nodes choose is left to chance, and may be the same ones. */
function drawBytes(seed: string): (into: Uint8Array) => Uint8Array {
  let blocks = 0
  return (into) => {
    for (let at = 0; at < into.length; at += 32) {
      const block = createHash("sha256")
        .update(`${seed} ${(blocks += 1)}`)
        .digest()
      into.set(block.subarray(0, into.length - at), at)
    }
    return into
  }
}

describe("two nodes that sweep at once", () => {
  it("visit few tasks twice", async () => {
    const visits: string[] = []
    const probe = async (point: string, task: string): Promise<void> => {
      if (point === "sweep:before-append") visits.push(task)
    }
    const both = { isStarted: false, probe }
    const scene = createScene({
      ...both,
      channels: [createScriptedChannel()],
      randomness: drawBytes("one"),
    })
    const { artifacts, clock, storage } = scene
    const other = createScene({
      ...both,
      artifacts,
      clock,
      storage,
      channels: [createScriptedChannel()],
      randomness: drawBytes("other"),
    })
    for (let count = 0; count < 1_000; count += 1) await scene.submit()
    const at = clock.now() + 600_000
    const reports = await Promise.all([scene.engine.sweep(at), other.engine.sweep(at)])
    assert.equal(new Set(visits).size, 1_000)
    assert.ok(visits.length < 1_600, `${visits.length} visits of 1,000 tasks`)
    for (const { timedOut } of reports) assert.ok(timedOut > 100, `one ended ${timedOut} only`)
  })
})

describe("a retention row that stays due whatever is done", () => {
  it("is visited once a sweep, and hides no other", async () => {
    const submits = Array.from({ length: 3 }, () => completed())
    const scene = createScene({ channels: [createScriptedChannel({ submits })] })
    for (let count = 0; count < 3; count += 1) await scene.submit()
    await scene.clock.advance(1)
    scene.storage.retain = async () => {}
    const report = await scene.engine.sweep(scene.clock.now() + 16 * DAY_MS)
    assert.deepEqual([report.expired, report.removed, report.failed], [3, 3, 0])
  })
})

describe("a row of the queue that was left for a finished task", () => {
  it("does not make a sweep go round for ever", async () => {
    const { scene, id } = await createFinished()
    const head = await scene.storage.readTask(id)
    assert.ok(head !== undefined)
    scene.storage.findOverdue = async () => [head]
    const report = await scene.engine.sweep(scene.clock.now() + 700_000)
    assert.equal(report.timedOut, 0)
  })
})

describe("a stop", () => {
  it("waits for submissions under way, and leaves nothing running behind it", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const submitted = scene.submit()
    const stopped = scene.engine.stop({ graceMs: 1_000 })
    await scene.clock.advance(2_000)
    await stopped
    const callsAtStop = channel.calls.length
    const { id } = await submitted
    await scene.clock.advance(10_000)
    assert.equal(channel.calls.length, callsAtStop)
    assert.ok(["queued", "succeeded.available"].includes((await scene.read(id)).state))
  })

  it("lets running work finish within its grace", async () => {
    const channel = createScriptedChannel({
      submits: [
        async () => {
          await scene.clock.wait(3_000)
          return completed()
        },
      ],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(1)
    const stopped = scene.engine.stop({ graceMs: 5_000 })
    await scene.clock.advance(5_000)
    await stopped
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("hands the rest back, so that another node takes it at once", async () => {
    const accepted = { kind: "accepted", operation: 1 } as const
    const slow = createScriptedChannel({
      submits: [accepted],
      polls: [() => new Promise<never>(() => {})],
    })
    const { scene, id } = await submitTo(slow)
    await scene.clock.advance(1)
    const stopped = scene.engine.stop({ graceMs: 1_000 })
    await scene.clock.advance(1_000)
    await stopped
    const { clock, storage, artifacts } = scene
    const channel = createScriptedChannel({ polls: [completed()] })
    createScene({ channels: [channel], clock, storage, artifacts })
    await clock.advance(2_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("waiting for a task", () => {
  it("ends with it, also where another node finishes it", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id } = await scene.submit()
    const waiting = scene.engine.finished(id)
    const { clock, storage, artifacts } = scene
    const channel = createScriptedChannel({ submits: [completed()] })
    createScene({ channels: [channel], clock, storage, artifacts })
    await clock.advance(3_000)
    assert.equal((await waiting)?.state, "succeeded.available")
  })

  it("ends by its signal, and at once for a task that nobody knows", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    assert.equal(await scene.engine.finished("unknown"), undefined)
    const { id } = await scene.submit()
    const controller = new AbortController()
    const waiting = scene.engine.finished(id, { signal: controller.signal })
    controller.abort()
    await assert.rejects(waiting, { code: "aborted" })
  })
})

describe("an account", () => {
  it("finds its own tasks and artifacts, and nobody else's", async () => {
    const { scene, id } = await createFinished()
    assert.equal((await scene.engine.findTask({ account: "ada", id }))?.id, id)
    assert.equal((await scene.engine.findArtifacts({ account: "ada", id }))?.artifacts.length, 1)
    assert.equal(await scene.engine.findTask({ account: "bob", id }), undefined)
    assert.equal(await scene.engine.findArtifacts({ account: "bob", id }), undefined)
  })
})
