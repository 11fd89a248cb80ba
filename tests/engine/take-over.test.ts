/** Taking over: what a process leaves behind, and whose turn that is for those who go on. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createManualClock,
  createScriptedChannel,
  type PollReply,
  type ScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { createPausable } from "./pausable.ts"
import { completed, createScene, type Scene, type SceneOptions } from "./support.ts"

/** How long the provider takes for a task. */
const WORK_MS = 300_000

/** Processes at one provider, over one storage. */
function createNodes(concurrency: number) {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const acceptedAt = new Map<string, number>()
  const polls: PollReply[] = Array.from({ length: 5_000 }, () => ({ task }) => {
    const isReady = clock.now() >= (acceptedAt.get(task) ?? 0) + WORK_MS
    return isReady ? completed() : { kind: "running", pollAfterMs: 5_000 }
  })
  const submits = Array.from({ length: 500 }, () => ({ task }: { readonly task: string }) => {
    acceptedAt.set(task, clock.now())
    return { kind: "accepted", operation: `op-${task}` } as const
  })
  function start(more: Partial<SceneOptions> = {}): {
    readonly scene: Scene
    readonly channel: ScriptedChannel
  } {
    const channel = createScriptedChannel({ concurrency, submits, polls })
    const settings = { endAfterMs: 3_600_000 }
    const scene = createScene({
      channels: [channel],
      clock,
      storage,
      artifacts,
      settings,
      ...more,
    })
    return { scene, channel }
  }
  return { clock, storage, start }
}

function listSubmitted({ calls }: ScriptedChannel): string[] {
  return calls.flatMap(({ method, request }) => (method === "submit" ? request.task : []))
}

describe("work of a process that died", () => {
  it("is taken over soon, however much of its account waits", async () => {
    const { clock, storage, start } = createNodes(64)
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: 2 } })
    const process = createPausable(clock, storage)
    const backlog = start({ isStarted: false }).scene
    for (let count = 0; count < 160; count += 1) await backlog.submit()
    const other = start()
    const dying = start({ clock: process.clock, storage: process.storage })
    await clock.advance(20_000)
    const isUnfinished = (id: string): boolean => backlog.story(id).at(-1) === "accepted"
    const left = listSubmitted(dying.channel).filter(isUnfinished)
    assert.deepEqual([left.length, listSubmitted(other.channel).length], [1, 1])
    process.pause()
    await clock.advance(WORK_MS + 120_000)
    const [task = ""] = left
    assert.deepEqual(backlog.story(task), ["submitted", "dispatched", "accepted", "succeeded"])
  })
})

describe("new tasks that a process can't begin", () => {
  it("keep their places where their account has no permit left", async () => {
    const { clock, storage, start } = createNodes(8)
    const ada = { id: "ada", now: clock.now() }
    await storage.setAccount({ ...ada, settings: { runningTasks: 0 } })
    const { scene, channel } = start({ isStarted: false })
    for (let count = 0; count < 3; count += 1) await scene.submit()
    scene.engine.start()
    await clock.advance(10_000)
    const request = { lease: "next", models: ["model-a"], now: clock.now() + 60_000, limit: 9 }
    const taken = await storage.take(request)
    assert.deepEqual(
      taken.map(({ startTag }) => startTag),
      [0, 1_000, 2_000],
    )
    assert.deepEqual(channel.calls, [])
  })
})
