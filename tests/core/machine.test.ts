/**
 * The machine and its two stand-ins: the transition table of the hot path and xstate's public
 * `transition()`. In xstate the state is the snapshot's `value`, and the context's own `state`
 * member stays untouched; `evolve` writes it, so both are compared after writing it into both.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  emptyTask,
  EVENT_TYPES,
  evolve,
  fold,
  isTerminal,
  taskMachine,
  toStatus,
  type EventType,
  type ManifestEntry,
  type Task,
  type TaskEvent,
  type TaskState,
} from "@safelight/core"
import * as fc from "fast-check"
import { getInitialSnapshot, transition, type SnapshotFrom } from "xstate"
import { eventDraft, eventDrafts, toEvent, type EventDraft } from "./support/arbitrary-event.ts"
import { check } from "./support/property.ts"

/** The transitions of design §3, by hand. */
const LEGAL: Readonly<Record<TaskState, readonly EventType[]>> = {
  nothing: ["submitted"],
  queued: ["dispatched", "failed"],
  dispatching: ["accepted", "doubted", "deferred", "succeeded", "failed"],
  doubtful: ["dispatched", "accepted", "deferred", "succeeded", "failed"],
  running: ["progressed", "deferred", "succeeded", "failed"],
  "succeeded.available": ["held", "expired"],
  "succeeded.expired": [],
  failed: [],
}

const TARGETS: Readonly<Record<EventType, TaskState>> = {
  submitted: "queued",
  dispatched: "dispatching",
  accepted: "running",
  doubted: "doubtful",
  deferred: "queued",
  progressed: "running",
  succeeded: "succeeded.available",
  failed: "failed",
  held: "succeeded.available",
  expired: "succeeded.expired",
}

type Snapshot = SnapshotFrom<typeof taskMachine>

function toTask(snapshot: Snapshot): Task {
  const value = snapshot.value as string | Readonly<Record<string, string>>
  const state =
    typeof value === "string" ? value : Object.entries(value).map((path) => path.join("."))[0]
  return { ...snapshot.context, state: state as TaskState }
}

/** A sequence of events, each fitted to the task that the legal ones before it made. */
function run(drafts: Parameters<typeof toEvent>[1][]): { events: TaskEvent[]; tasks: Task[] } {
  let task = emptyTask("task-1")
  const events: TaskEvent[] = []
  const tasks = [task]
  for (const draft of drafts) {
    const event = toEvent(task, draft)
    events.push(event)
    task = evolve(task, event)
    tasks.push(task)
  }
  return { events, tasks }
}

function legalEvents(drafts: Parameters<typeof toEvent>[1][]): TaskEvent[] {
  const { events, tasks } = run(drafts)
  return events.filter((_, index) => tasks[index] !== tasks[index + 1])
}

const ARTIFACT: ManifestEntry = {
  bytes: 10,
  durationMs: null,
  expiresAt: 1_000_000,
  key: "image_1",
  locator: "locator/1",
  mimeType: "image/png",
  sha256: "ab".repeat(32),
  type: "image",
}

/** A task in each state: its progress can both rise and fall, and its artifact can be held. */
function taskIn(state: TaskState): Task {
  const dispatch = {
    because: "its turn",
    channel: "north",
    lease: "lease-1",
    keyedAt: 0,
    sendBefore: 30_000,
    upstreamKey: "key-1",
  }
  const of = { artifacts: [ARTIFACT], attempt: 1, dispatch, progress: 40, version: 4 }
  return { ...emptyTask("task-1"), ...of, state }
}

/** A way into each state. */
const PATHS: Readonly<Record<TaskState, readonly EventType[]>> = {
  nothing: [],
  queued: ["submitted"],
  dispatching: ["submitted", "dispatched"],
  doubtful: ["submitted", "dispatched", "doubted"],
  running: ["submitted", "dispatched", "accepted"],
  "succeeded.available": ["submitted", "dispatched", "succeeded"],
  "succeeded.expired": ["submitted", "dispatched", "succeeded", "expired"],
  failed: ["submitted", "failed"],
}

/** What makes a drafted event pass its guard. */
const FITTING = {
  attemptOffset: 1,
  channel: "north",
  images: 1,
  progress: 41,
  upstreamKey: "key-1",
} as const

describe("the machine", () => {
  it("takes in every state exactly the events of the design, and leads where it says", (t) => {
    const states = Object.keys(LEGAL) as TaskState[]
    const property = fc.property(eventDraft, (draft) => {
      for (const state of states) {
        for (const type of EVENT_TYPES) {
          const before = taskIn(state)
          const after = evolve(before, toEvent(before, { ...draft, ...FITTING, type }))
          if (!LEGAL[state].includes(type)) assert.equal(after, before, `${type} in ${state}`)
          else assert.equal(after.state, TARGETS[type], `${type} in ${state}`)
        }
      }
    })
    check(t, property, 30)
  })

  it("either moves on by one version or returns the identical task, whatever comes", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const { events, tasks } = run([...drafts])
      events.forEach((event, index) => {
        const [before, after] = [tasks[index] as Task, tasks[index + 1] as Task]
        if (after === before) return
        assert.equal(after.version, before.version + 1)
        assert.equal(after.updatedAt, event.at)
        assert.equal(after.id, before.id)
      })
    })
    check(t, property)
  })

  it("never changes the task it is given, nor the event", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      let task = deepFreeze(emptyTask("task-1"))
      for (const draft of drafts) task = deepFreeze(evolve(task, deepFreeze(toEvent(task, draft))))
    })
    check(t, property)
  })

  it("makes tasks that nobody can change, in none of their parts", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      for (const task of run([...drafts]).tasks) if (task.version > 0) assertFrozen(task)
    })
    check(t, property)
  })

  it("is the same as a table and as xstate's public transition()", (t) => {
    const seen = new Set<string>()
    const compare = (drafts: readonly EventDraft[]): void => {
      let task = emptyTask("task-1")
      let snapshot = getInitialSnapshot(taskMachine, { id: "task-1" })
      for (const draft of drafts) {
        const event = toEvent(task, draft)
        const next = evolve(task, event)
        const [moved] = transition(taskMachine, snapshot, event)
        assert.deepEqual(toTask(moved), next, `${event.type} in ${task.state}`)
        assert.equal(moved.context === snapshot.context, next === task, "both move or neither")
        if (next !== task) seen.add(`${task.state} ${event.type}`)
        task = next
        snapshot = moved
      }
    }
    check(t, fc.property(eventDrafts, compare), 400)
    // Chance may leave a transition out; each is also walked to.
    const [draft] = fc.sample(eventDraft, 1)
    for (const path of Object.values(PATHS)) {
      for (const type of EVENT_TYPES) {
        compare(
          [...path, type].map((each) => ({ ...(draft as EventDraft), ...FITTING, type: each })),
        )
      }
    }
    const legal = Object.entries(LEGAL).flatMap(([state, types]) =>
      types.map((type) => `${state} ${type}`),
    )
    assert.deepEqual([...seen].toSorted(), legal.toSorted(), "every transition was compared")
  })

  it("sends again from doubt only under the same key on the same channel", () => {
    const doubtful = taskIn("doubtful")
    const draft = fc.sample(eventDraft, 1)[0] as Parameters<typeof toEvent>[1]
    const dispatch = (channel: string, upstreamKey: string, attemptOffset: number): Task => {
      const fitted = { ...draft, isLikely: false, channel, upstreamKey, attemptOffset }
      return evolve(doubtful, toEvent(doubtful, { ...fitted, type: "dispatched" }))
    }
    assert.equal(dispatch("north", "key-1", 1).state, "dispatching")
    assert.equal(dispatch("south", "key-1", 1), doubtful)
    assert.equal(dispatch("north", "key-2", 1), doubtful)
    assert.equal(dispatch("north", "key-1", 2), doubtful)
    assert.equal(dispatch("north", "key-1", 0), doubtful)
  })

  it("takes progress only beyond what it has", () => {
    const running = taskIn("running")
    const report = (progress: number): Task =>
      evolve(running, { type: "progressed", at: 9, data: { progress } })
    for (const progress of [1, 39, 40]) assert.equal(report(progress), running)
    for (const progress of [41, 99]) assert.equal(report(progress).progress, progress)
  })

  it("keeps the moment a key was first sent while that key is sent again", () => {
    const draft = fc.sample(eventDraft, 1)[0] as Parameters<typeof toEvent>[1]
    const first = { ...taskIn("doubtful"), updatedAt: 500 }
    const again = { ...draft, type: "dispatched", attemptOffset: 1, channel: "north" } as const
    const repeat = toEvent(first, { ...again, upstreamKey: "key-1", tickMs: 9 })
    assert.equal(evolve(first, repeat).dispatch?.keyedAt, 0)
    const queued = { ...first, state: "queued" } as const
    const fresh = toEvent(queued, { ...again, upstreamKey: "key-2", tickMs: 9 })
    assert.equal(evolve(queued, fresh).dispatch?.keyedAt, 509)
  })
})

describe("a stream", () => {
  it("has at most one end, and nothing but holds and one expiry after it", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const types = legalEvents([...drafts]).map(({ type }) => type)
      const end = types.findIndex((type) => type === "succeeded" || type === "failed")
      if (end < 0) return
      const rest = types.slice(end + 1)
      const [last, ...holds] = rest.toReversed()
      if (types[end] === "failed") assert.deepEqual(rest, [])
      assert.ok(last === undefined || last === "held" || last === "expired")
      assert.ok(holds.every((type) => type === "held"))
    })
    check(t, property)
  })

  it("never lets progress or the public status fall, nor changes what is terminal but an expiry", (t) => {
    const order = ["queued", "running", "succeeded", "failed"]
    const property = fc.property(eventDrafts, (drafts) => {
      const { tasks } = run([...drafts])
      tasks.slice(1).forEach((after, index) => {
        const before = tasks[index] as Task
        assert.ok(after.progress >= before.progress)
        assert.ok(order.indexOf(toStatus(after)) >= order.indexOf(toStatus(before)))
        if (!isTerminal(before)) return
        const { state: _state, version: _version, updatedAt: _at, artifacts, ...rest } = before
        assert.deepEqual(
          { ...after, state: 0, version: 0, updatedAt: 0, artifacts: 0 },
          { ...rest, state: 0, version: 0, updatedAt: 0, artifacts: 0 },
        )
        for (const [place, { expiresAt, ...entry }] of after.artifacts.entries()) {
          const { expiresAt: earlier = NaN, ...known } = artifacts[place] ?? {}
          assert.deepEqual(entry, known)
          assert.ok(expiresAt >= earlier)
          assert.ok(expiresAt === earlier || after.updatedAt < earlier, "nothing comes back")
        }
      })
    })
    check(t, property)
  })

  it("shows progress 0 while queued, 1 to 99 while running, 100 only when succeeded", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      for (const task of run([...drafts]).tasks) {
        const status = toStatus(task)
        if (status === "queued") assert.equal(task.progress, 0)
        if (status === "running") assert.ok(task.progress >= 1 && task.progress <= 99)
        assert.equal(task.progress === 100, status === "succeeded")
        assert.equal(isTerminal(task), status === "succeeded" || status === "failed")
      }
    })
    check(t, property)
  })

  it("is counted by the task's version, one for each event", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const events = legalEvents([...drafts])
      assert.equal(fold("task-1", events).version, events.length)
    })
    check(t, property)
  })

  it("folds to the same task at once, step by step, and over JSON between any two steps", (t) => {
    const property = fc.property(eventDrafts, (drafts) => {
      const events = legalEvents([...drafts])
      let stepwise = emptyTask("task-1")
      for (const event of events) {
        stepwise = JSON.parse(JSON.stringify(evolve(stepwise, event))) as Task
      }
      const whole = fold("task-1", events)
      assert.deepEqual(stepwise, JSON.parse(JSON.stringify(whole)))
      const read = JSON.parse(JSON.stringify(events)) as TaskEvent[]
      assert.deepEqual(fold("task-1", read), stepwise)
    })
    check(t, property)
  })

  it("is not folded beyond an event that is not legal, which is named", () => {
    const { events } = run(
      fc
        .sample(eventDraft, { numRuns: 1, seed: 1 })
        .map((draft) => ({ ...draft, type: "submitted" as const })),
    )
    const twice = [...events, ...events]
    assert.throws(
      () => fold("task-1", twice),
      /^RangeError: submitted is not legal in queued \(version 1\)$/,
    )
  })
})

function assertFrozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return
  assert.ok(Object.isFrozen(value), JSON.stringify(value))
  Object.values(value).forEach(assertFrozen)
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze)
    Object.freeze(value)
  }
  return value
}
