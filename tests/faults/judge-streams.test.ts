/** The oracle's rules for streams: what a kept promise looks like, and each broken one, all of it invented. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ToldSuspension } from "./judge-keys.ts"
import { judgeStreams, type StreamCase } from "./judge-streams.ts"
import { NO_FAULTS, SETTLE_MS, type RoundFaults } from "./round-faults.ts"
import type { Sight, WatchedStream } from "./stream-watchers.ts"
import type { ToldEvent } from "./told-events.ts"

const ACCOUNT = "acme"
const TASK = "task-1"
const FEED = "feed-1"
/** Any moment long after the round began. */
const AT = 1_000_000

const LOST: RoundFaults = { ...NO_FAULTS, forgotten: [{ from: AT - 10, to: AT + 10 }] }

function toTold(task: string, version: number, type: string): ToldEvent {
  const text = `${task} ${version}`
  return { account: ACCOUNT, task, version, type, text, isEnded: type === "task.succeeded" }
}

const LOG = ["task.submitted", "task.dispatched", "task.succeeded"].map((type, index) =>
  toTold(TASK, index + 1, type),
)

function toShown(version: number, data = `${TASK} ${version}`, id = `${version}`): Sight {
  return { kind: "event", at: AT, id, event: LOG[version - 1]?.type ?? "", data }
}

function toReset(position: number): Sight {
  return { kind: "event", at: AT, id: `${FEED}:${position}`, event: "reset", data: "{}" }
}

const ENDED: Sight = { kind: "ended", node: "node-1", at: AT }
const WHOLE: readonly Sight[] = [toShown(1), toShown(2), toShown(3), ENDED]

function toBroken(
  sights: readonly Sight[],
  faults = NO_FAULTS,
  task?: string,
  suspensions: readonly ToldSuspension[] = [],
): readonly string[] {
  const broken: string[] = []
  const entries = LOG.map(({ version }) => ({ task: TASK, version, position: version }))
  const open: StreamCase = {
    faults,
    fail: (words) => void broken.push(words),
    told: new Map([[TASK, LOG]]),
    feeds: new Map([[ACCOUNT, { id: FEED, entries }]]),
    suspensions,
  }
  const stream: WatchedStream = { account: ACCOUNT, task, sights }
  judgeStreams(open, [stream])
  return broken
}

function assertNamed(broken: readonly string[], pattern: RegExp): void {
  assert.ok(
    broken.some((words) => pattern.test(words)),
    `${String(pattern)} is not among: ${broken.join("; ")}`,
  )
}

describe("the oracle, of a task's stream,", () => {
  const judged = (sights: readonly Sight[], faults?: RoundFaults): readonly string[] =>
    toBroken(sights, faults, TASK)

  it("finds nothing where every event was shown, once or again by the same id", () => {
    assert.deepEqual(judged(WHOLE), [])
    assert.deepEqual(judged([toShown(1), toShown(1), toShown(2), toShown(3)]), [])
    assert.deepEqual(judged([...WHOLE, { kind: "answered", status: 204, at: AT }]), [])
  })

  it("names one that is missing in the middle", () => {
    assertNamed(judged([toShown(1), toShown(3), ENDED]), /shows version 3 .* in place of version 2/)
  })

  it("names one that came out of order", () => {
    assertNamed(judged([toShown(2), toShown(1), toShown(3)]), /in place of version 1/)
  })

  it("names an end that was never shown", () => {
    assertNamed(judged([toShown(1), toShown(2)]), /ends with task.dispatched/)
    assertNamed(judged([]), /ends with nothing/)
  })

  it("names a connection that a living node ended before the task's end", () => {
    assertNamed(judged([toShown(1), ENDED, toShown(2), toShown(3)]), /was ended before its end/)
    const endedAt = new Map([["node-1", AT]])
    const died = { ...NO_FAULTS, endedAt }
    assert.deepEqual(judged([toShown(1), ENDED, toShown(2), toShown(3)], died), [])
  })

  it("names an answer that is wrong, and takes a denied key for none", () => {
    assertNamed(judged([{ kind: "answered", status: 404, at: AT }, ...WHOLE]), /was answered 404/)
    assert.deepEqual(judged([{ kind: "answered", status: 401, at: AT }, ...WHOLE]), [])
  })

  it("names what the log doesn't have, unless it was forgotten since", () => {
    const sights = [toShown(1), toShown(2, "forgotten")]
    assertNamed(judged([...sights, toShown(3)]), /shows forgotten, which the log hasn't/)
    const resumed = [...sights, toReset(1), toShown(2), toShown(3)]
    assert.deepEqual(judged(resumed, LOST), [])
    const forgotten = [{ from: AT - 10_000, to: AT - SETTLE_MS - 1 }]
    const late = judged(resumed, { ...NO_FAULTS, forgotten })
    assertNamed(late, /shows forgotten, which the log hasn't/)
  })

  it("takes a client that was shown a forgotten end for gone, also if more followed", () => {
    const at = { kind: "event", at: AT } as const
    const end = { ...at, id: "3", event: "task.succeeded", data: "forgotten" }
    const held = { ...at, id: "4", event: "task.held", data: "forgotten too" }
    const began = [toShown(1), toShown(2)]
    assert.deepEqual(judged([...began, end, ENDED], LOST), [])
    assert.deepEqual(judged([...began, end, held, ENDED], LOST), [])
    assertNamed(judged([...began, held], LOST), /ends with task.dispatched/)
  })

  it("names one that goes on behind what is forgotten without a reset", () => {
    const sights = [toShown(1), toShown(2, "forgotten"), toShown(3)]
    assertNamed(judged(sights, LOST), /goes on behind forgotten, .* without a reset/)
  })

  it("names an id of two events", () => {
    const sights = [toShown(1), toShown(2, undefined, "1"), toShown(3)]
    assertNamed(judged(sights), /calls two events 1/)
  })

  it("names a reset where nothing was lost", () => {
    assertNamed(judged([toReset(0), ...WHOLE]), /was reset, though nothing was lost/)
  })
})

describe("the oracle, of an account's stream,", () => {
  it("names every event that it lacks", () => {
    assert.deepEqual(toBroken([toShown(1), toShown(2), toShown(3)]), [])
    assertNamed(toBroken([toShown(1), toShown(2)]), /lacks version 3 of task-1/)
  })

  it("names what it lacks behind a reset, and not what came before", () => {
    assert.deepEqual(toBroken([toReset(1), toShown(2), toShown(3)], LOST), [])
    assertNamed(toBroken([toReset(1), toShown(2)], LOST), /lacks version 3 .* behind its reset/)
  })

  it("names a gap behind a reset", () => {
    const sights = [toReset(0), toShown(1), toShown(3)]
    assertNamed(toBroken(sights, LOST), /shows versions 1, 3 of task-1 after its reset/)
  })

  it("names one that a living node ended", () => {
    assertNamed(toBroken(WHOLE), /was ended before its end by node-1/)
    const times = { askedAt: AT - 2, at: AT - 1, endAskedAt: AT + 1, endedAt: AT + 2 }
    const suspended = { account: ACCOUNT, ...times }
    assert.deepEqual(toBroken(WHOLE, NO_FAULTS, undefined, [suspended]), [])
    const others = { ...suspended, account: "another" }
    assertNamed(toBroken(WHOLE, NO_FAULTS, undefined, [others]), /was ended before its end/)
  })
})
