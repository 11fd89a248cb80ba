/**
 * Decisions: what a command at a moment makes of a task. The machine's own legality is tested with
 * the machine; here is what needs a clock or the attempt count, and that a refusal leaves nothing.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  decide,
  emptyTask,
  evolve,
  FAILURE_CODES,
  isOverdue,
  isTerminal,
  lastExpiryAt,
  toCanonicalJson,
  toStatus,
  toTaskFailure,
  type EventData,
  type Rejection,
  type Task,
  type TaskCommand,
} from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"

const END_BY = 100_000

const submitted: EventData<"submitted"> = {
  account: "account-1",
  commitment: "c0".repeat(32),
  endBy: END_BY,
  maxAttempts: 2,
  model: "vendor-a/v4.1/flash/text-to-image",
  parameters: { size: "square" },
  priceVersion: "default-1",
  reservationMicros: 10_000,
}

const artifact = {
  bytes: 1_000,
  durationMs: null,
  expiresAt: 200_000,
  key: "image_1",
  locator: "locator-1",
  mimeType: "image/png",
  sha256: "ab".repeat(32),
  type: "image",
} as const

const dispatch: TaskCommand = {
  kind: "dispatch",
  because: "its turn",
  channel: "north",
  lease: "lease-1",
  sendBefore: 30_000,
  upstreamKey: "key-1",
}

const succeed: TaskCommand = {
  kind: "succeed",
  artifacts: [artifact, { ...artifact, key: "image_2", expiresAt: 300_000 }],
  chargeMicros: 10_000,
  usage: { images: 2, inputVideosMs: [], outputVideoMs: 0 },
}

/** The task after `commands`, one millisecond apart from 1,000 on. */
function taskAfter(...commands: TaskCommand[]): Task {
  return commands.reduce((task, command, index) => {
    const decision = decide(task, command, 1_000 + index)
    assert.equal(decision.kind, "decided", JSON.stringify(decision))
    return decision.kind === "decided" ? decision.task : task
  }, emptyTask("task-1"))
}

const SUBMIT: TaskCommand = { kind: "submit", submitted }
const defer = (attempt: number): TaskCommand => ({
  kind: "defer",
  attempt,
  reason: "provider_busy",
  retryAt: 2_000,
})
const doubt = (attempt: number): TaskCommand => ({ kind: "doubt", attempt, code: "reset" })
const accept: TaskCommand = { kind: "accept", operation: { id: 7 }, upstreamKey: "key-1" }

const TASKS = {
  nothing: emptyTask("task-1"),
  queued: taskAfter(SUBMIT),
  dispatching: taskAfter(SUBMIT, dispatch),
  doubtful: taskAfter(SUBMIT, dispatch, doubt(1)),
  running: taskAfter(SUBMIT, dispatch, accept),
  exhausted: taskAfter(SUBMIT, dispatch, accept, defer(1), dispatch, accept, defer(2)),
  succeeded: taskAfter(SUBMIT, dispatch, succeed),
  failed: taskAfter(SUBMIT, { kind: "fail", attempt: 0, code: "task_cancelled" }),
}

function rejectionOf(task: Task, command: TaskCommand, now: number): Rejection | undefined {
  const decision = decide(task, command, now)
  return decision.kind === "rejected" ? decision.rejection : undefined
}

const attempt = fc.nat({ max: 3 })
const command: fc.Arbitrary<TaskCommand> = fc.oneof(
  fc.constantFrom<TaskCommand>(
    SUBMIT,
    dispatch,
    succeed,
    accept,
    { kind: "time-out" },
    { kind: "expire" },
  ),
  attempt.map(defer),
  attempt.map(doubt),
  fc
    .tuple(attempt, fc.integer({ min: 1, max: 99 }))
    .map(([of, progress]): TaskCommand => ({ kind: "progress", attempt: of, progress })),
  fc
    .tuple(attempt, fc.constantFrom(...FAILURE_CODES))
    .map(([of, code]): TaskCommand => ({ kind: "fail", attempt: of, code })),
)
const commands = fc.array(fc.tuple(command, fc.nat({ max: 400_000 })), { maxLength: 30 })

describe("a decision", () => {
  it("is an event that the machine takes, or a rejection that leaves nothing", (t) => {
    const property = fc.property(commands, (sequence) => {
      let task = emptyTask("task-1")
      for (const [each, now] of sequence) {
        const frozen = Object.freeze({ ...task })
        const decision = decide(frozen, each, now)
        if (decision.kind === "rejected") {
          assert.deepEqual(Object.keys(decision), ["kind", "rejection"])
          continue
        }
        assert.deepEqual(decision.task, evolve(task, decision.event))
        assert.equal(decision.task.version, task.version + 1)
        task = decision.task
      }
    })
    check(t, property)
  })

  it("never dates an event before the one before it, however the clock jumps", (t) => {
    const property = fc.property(commands, (sequence) => {
      let task = emptyTask("task-1")
      for (const [each, now] of sequence) {
        const decision = decide(task, each, now)
        if (decision.kind === "rejected") continue
        assert.equal(decision.event.at, Math.max(now, task.updatedAt))
        task = decision.task
      }
    })
    check(t, property)
  })

  it("makes events and tasks whose members are in canonical order, so that none is copied", (t) => {
    const property = fc.property(commands, (sequence) => {
      let task = emptyTask("task-1")
      for (const [each, now] of sequence) {
        const decision = decide(task, each, now)
        if (decision.kind === "rejected") continue
        task = decision.task
        assert.equal(JSON.stringify(decision.event.data), toCanonicalJson(decision.event.data))
        assert.equal(JSON.stringify(task), toCanonicalJson(task))
      }
    })
    check(t, property)
  })

  it("is the same each time", (t) => {
    const property = fc.property(
      command,
      fc.constantFrom(...Object.values(TASKS)),
      fc.nat(),
      (each, task, now) => {
        assert.deepEqual(decide(task, each, now), decide(task, each, now))
      },
    )
    check(t, property)
  })
})

describe("a report", () => {
  const reports = (of: number): TaskCommand[] => [
    defer(of),
    doubt(of),
    { kind: "progress", attempt: of, progress: 50 },
    { kind: "fail", attempt: of, code: "provider_rejected" },
  ]

  it("of another attempt is refused by name, in every state", () => {
    for (const task of Object.values(TASKS)) {
      for (const other of [task.attempt - 1, task.attempt + 1]) {
        for (const report of reports(other)) {
          const expected = { code: "stale-attempt", attempt: other, current: task.attempt }
          assert.deepEqual(rejectionOf(task, report, 5_000), expected)
        }
      }
    }
  })

  it("of another dispatch of the same attempt is refused if it names the one it speaks of", () => {
    for (const task of Object.values(TASKS)) {
      const { attempt: of, dispatch: sent } = task
      if (sent === null) continue
      const ends: TaskCommand[] = [defer(of), { kind: "fail", attempt: of, code: "no_output" }]
      for (const report of ends) {
        const expected: object = { code: "stale-dispatch", lease: "another", current: sent.lease }
        const stale = { ...report, lease: "another" } as TaskCommand
        assert.deepEqual(rejectionOf(task, stale, 5_000), expected)
        const own = { ...report, lease: sent.lease } as TaskCommand
        assert.deepEqual(rejectionOf(task, own, 5_000), rejectionOf(task, report, 5_000))
      }
    }
  })

  it("of an operation under a key that another replaced is refused", () => {
    const next: TaskCommand = { ...dispatch, upstreamKey: "key-2" }
    const dispatching = taskAfter(SUBMIT, dispatch, defer(1), next)
    const expected = { code: "stale-key", upstreamKey: "key-1", current: "key-2" }
    assert.deepEqual(rejectionOf(dispatching, accept, 5_000), expected)
    const doubtful = taskAfter(SUBMIT, dispatch, defer(1), next, doubt(2))
    assert.deepEqual(rejectionOf(doubtful, accept, 5_000), expected)
    assert.equal(rejectionOf(doubtful, { ...accept, upstreamKey: "key-2" }, 5_000), undefined)
  })

  it("of something bought is taken whatever attempt it was", () => {
    for (const task of [TASKS.dispatching, TASKS.doubtful]) {
      assert.equal(rejectionOf(task, accept, 5_000), undefined)
      assert.equal(rejectionOf(task, succeed, 5_000), undefined)
    }
    assert.equal(rejectionOf(TASKS.running, succeed, 5_000), undefined)
    assert.equal(rejectionOf(TASKS.doubtful, succeed, END_BY + 1), undefined, "even past the end")
  })

  it("of completion on a terminal task is refused, so it is recorded once", () => {
    const expected = {
      code: "illegal-transition",
      state: "succeeded.available",
      event: "succeeded",
    }
    assert.deepEqual(rejectionOf(TASKS.succeeded, succeed, 5_000), expected)
    assert.equal(rejectionOf(TASKS.failed, succeed, 5_000)?.code, "illegal-transition")
    assert.equal(rejectionOf(TASKS.queued, succeed, 5_000)?.code, "illegal-transition")
  })

  it("of progress that does not advance is refused", () => {
    const progress = (value: number): TaskCommand => ({
      kind: "progress",
      attempt: 1,
      progress: value,
    })
    const at50 = taskAfter(SUBMIT, dispatch, accept, progress(50))
    assert.equal(at50.progress, 50)
    for (const value of [1, 49, 50]) {
      assert.equal(rejectionOf(at50, progress(value), 5_000)?.code, "illegal-transition")
    }
    assert.equal(rejectionOf(at50, progress(51), 5_000), undefined)
  })

  it("of failure carries our words unless others are given", () => {
    for (const code of FAILURE_CODES) {
      const decision = decide(
        TASKS.running,
        {
          kind: "fail",
          attempt: 1,
          code,
          billed: { chargeMicros: 3, usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 } },
        },
        5_000,
      )
      assert.equal(decision.kind, "decided")
      if (decision.kind !== "decided") continue
      assert.deepEqual(decision.task.error, toTaskFailure(code))
      assert.equal(decision.task.chargeMicros, 3)
      assert.equal(toStatus(decision.task), "failed")
    }
    assert.equal(toTaskFailure("no_output", "Nothing came.").message, "Nothing came.")
  })
})

describe("a dispatch", () => {
  it("counts attempts without a gap and stops once all are spent", () => {
    assert.equal(TASKS.dispatching.attempt, 1)
    const second = taskAfter(SUBMIT, dispatch, defer(1), dispatch)
    assert.equal(second.attempt, 2)
    const expected = { code: "attempts-exhausted", maxAttempts: 2 }
    assert.deepEqual(rejectionOf(TASKS.exhausted, dispatch, 5_000), expected)
  })

  it("spends an attempt only where a channel had accepted it", () => {
    const away = taskAfter(SUBMIT, ...[1, 2, 3, 4].flatMap((each) => [dispatch, defer(each)]))
    assert.deepEqual([away.attempt, away.spentAttempts], [4, 0])
    assert.equal(rejectionOf(away, dispatch, 5_000), undefined)
    assert.ok(!isOverdue(away, 5_000))
    const unknown = taskAfter(SUBMIT, dispatch, doubt(1), dispatch, doubt(2), dispatch, doubt(3))
    assert.equal(unknown.spentAttempts, 0)
    assert.equal(rejectionOf(unknown, dispatch, 5_000), undefined)
    assert.equal(TASKS.exhausted.spentAttempts, 2)
  })

  it("is allowed until just before the deadline", () => {
    assert.equal(rejectionOf(TASKS.queued, dispatch, END_BY - 1), undefined)
    const expected = { code: "past-deadline", endBy: END_BY }
    assert.deepEqual(rejectionOf(TASKS.queued, dispatch, END_BY), expected)
  })

  it("is refused while another one is out", () => {
    for (const task of [TASKS.dispatching, TASKS.running, TASKS.succeeded, TASKS.failed]) {
      assert.equal(rejectionOf(task, dispatch, 5_000)?.code, "illegal-transition")
    }
  })
})

/** What a client is told by the state its task ran out of time in. */
const TIME_OUT_CODES = {
  queued: "provider_unavailable",
  dispatching: "upstream_outcome_unknown",
  doubtful: "upstream_outcome_unknown",
  running: "generation_timeout",
} as const

type TimedOut = keyof typeof TIME_OUT_CODES

describe("a time-out", () => {
  it("ends any unfinished task from its deadline on, and none before", () => {
    for (const task of [TASKS.queued, TASKS.dispatching, TASKS.doubtful, TASKS.running]) {
      const expected = { code: "not-due", dueAt: END_BY }
      assert.deepEqual(rejectionOf(task, { kind: "time-out" }, END_BY - 1), expected, task.state)
      assert.ok(!isOverdue(task, END_BY - 1))
      const decision = decide(task, { kind: "time-out" }, END_BY)
      assert.equal(decision.kind, "decided")
      if (decision.kind !== "decided") continue
      assert.equal(decision.task.error?.code, TIME_OUT_CODES[task.state as TimedOut])
      assert.equal(decision.task.chargeMicros, 0)
      assert.ok(isTerminal(decision.task))
    }
  })

  it("ends a queued task without attempts left at once", () => {
    assert.ok(isOverdue(TASKS.exhausted, 1_010))
    assert.equal(rejectionOf(TASKS.exhausted, { kind: "time-out" }, 1_010), undefined)
  })

  it("leaves a doubtful task without attempts left to be adopted until its deadline", () => {
    const last = taskAfter(SUBMIT, dispatch, defer(1), dispatch, doubt(2))
    assert.ok(!isOverdue(last, END_BY - 1))
    assert.ok(isOverdue(last, END_BY))
  })

  it("never touches a terminal task", () => {
    for (const task of [TASKS.succeeded, TASKS.failed]) {
      assert.equal(rejectionOf(task, { kind: "time-out" }, END_BY)?.code, "illegal-transition")
    }
  })
})

describe("a hold", () => {
  const hold = (until: number): TaskCommand => ({ kind: "hold", until })

  it("keeps what has not expired longer, and is refused from the last expiry on", () => {
    const decision = decide(TASKS.succeeded, hold(400_000), 299_999)
    assert.ok(decision.kind === "decided")
    assert.deepEqual(decision.event.data, { until: 400_000 })
    // The first expired at 200,000 and stays so.
    assert.deepEqual(
      decision.task.artifacts.map(({ expiresAt }) => expiresAt),
      [200_000, 400_000],
    )
    assert.equal(decision.task.state, "succeeded.available")
    const over = { code: "artifacts-expired", expiredAt: 300_000 }
    assert.deepEqual(rejectionOf(TASKS.succeeded, hold(400_000), 300_000), over)
    assert.equal(
      rejectionOf(decision.task, { kind: "expire" }, 399_999)?.code,
      "not-due",
      "the expiry waits for the hold",
    )
  })

  it("is no event if it keeps nothing longer, and shortens nothing", () => {
    for (const until of [0, 200_000, 300_000]) {
      const refused = rejectionOf(TASKS.succeeded, hold(until), 250_000)
      assert.equal(refused?.code, "illegal-transition", `${until}`)
    }
    const both = decide(TASKS.succeeded, hold(250_000), 100_000)
    assert.ok(both.kind === "decided")
    assert.deepEqual(
      both.task.artifacts.map(({ expiresAt }) => expiresAt),
      [250_000, 300_000],
    )
  })

  it("needs a succeeded task whose expiry is not recorded", () => {
    const expired = decide(TASKS.succeeded, { kind: "expire" }, 300_000)
    assert.ok(expired.kind === "decided")
    for (const task of [TASKS.queued, TASKS.running, TASKS.failed, TASKS.nothing, expired.task]) {
      assert.equal(rejectionOf(task, hold(900_000), 100)?.code, "illegal-transition")
    }
  })
})

describe("an expiry", () => {
  it("is recorded once, from the last artifact's moment on", () => {
    assert.equal(lastExpiryAt(TASKS.succeeded), 300_000)
    const expected = { code: "not-due", dueAt: 300_000 }
    assert.deepEqual(rejectionOf(TASKS.succeeded, { kind: "expire" }, 299_999), expected)
    const decision = decide(TASKS.succeeded, { kind: "expire" }, 300_000)
    assert.equal(decision.kind, "decided")
    if (decision.kind !== "decided") return
    assert.deepEqual(decision.event.data, { keys: ["image_1", "image_2"] })
    assert.equal(toStatus(decision.task), "succeeded")
    assert.equal(decision.task.artifacts.length, 2, "expired artifacts stay listed")
    assert.equal(
      rejectionOf(decision.task, { kind: "expire" }, 300_001)?.code,
      "illegal-transition",
    )
  })

  it("needs a succeeded task", () => {
    for (const task of [TASKS.queued, TASKS.running, TASKS.failed, TASKS.nothing]) {
      assert.equal(rejectionOf(task, { kind: "expire" }, 400_000)?.code, "illegal-transition")
    }
  })
})

describe("a task at the very epoch", () => {
  it("can end at moment 0 and is terminal then", () => {
    const fail: TaskCommand = { kind: "fail", attempt: 1, code: "no_output" }
    const ends: readonly (readonly [TaskCommand, string])[] = [
      [succeed, "succeeded"],
      [fail, "failed"],
    ]
    for (const [end, status] of ends) {
      const task: Task = [SUBMIT, dispatch, end].reduce((before: Task, each) => {
        const decision = decide(before, each, 0)
        return decision.kind === "decided" ? decision.task : before
      }, emptyTask("task-1"))
      assert.equal(task.finishedAt, 0)
      assert.ok(isTerminal(task))
      assert.equal(toStatus(task), status)
    }
  })
})
