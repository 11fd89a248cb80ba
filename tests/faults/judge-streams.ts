/**
 * The oracle's view of streams: each shows every event of the log once, in order, up to the end, or says by `reset`
 * that some may be missing. What a reader would get wrong: a stream may show what a set-back database has forgotten
 * since, but goes on behind it only after a `reset`.
 */
import type { ReadEntry } from "@safelight/core"
import { isShownForgotten, wasForgotten, type RoundFaults } from "./round-faults.ts"
import { OBEYED_MS, TOLERANCE_MS, type ToldSuspension } from "./judge-keys.ts"
import type { Sight, WatchedStream } from "./stream-watchers.ts"
import type { ToldEvent, ToldEvents } from "./told-events.ts"

/** An account's feed as it is stored: its newest entries, all there are unless some were forgotten. */
export interface StoredFeed {
  readonly id: string
  readonly entries: readonly Pick<ReadEntry, "position" | "task" | "version">[]
}

export interface StreamCase {
  readonly faults: RoundFaults
  readonly fail: (words: string) => void
  readonly told: ToldEvents
  /** By account. */
  readonly feeds: ReadonlyMap<string, StoredFeed>
  readonly suspensions: readonly ToldSuspension[]
}

type EventSight = Extract<Sight, { kind: "event" }>

/** What was shown between two resets, each id once. */
interface Run {
  /** The reset, or what the stream began with. */
  readonly begin: EventSight | undefined
  readonly isAfterReset: boolean
  readonly shown: ToldEvent[]
  readonly textOf: Map<string, string>
  /** What it showed last, if the log doesn't have it. */
  forgotten: EventSight | undefined
}

/** A node that lives on so much longer did not end a stream by dying. */
const DEATH_MS = 2_000

export function judgeStreams(open: StreamCase, streams: readonly WatchedStream[]): void {
  const byText = Map.groupBy([...open.told.values()].flat(), ({ text }) => text)
  for (const stream of streams) {
    const runs = toRuns(open, stream, byText)
    judgeRuns(open, stream, runs)
    judgeConnections(open, stream)
    if (stream.task === undefined) judgeAccount(open, stream, runs)
    else judgeTask(open, stream, stream.task, runs)
  }
}

function toName({ account, task }: WatchedStream): string {
  return task === undefined ? `the stream of account ${account}` : `the stream of task ${task}`
}

function toRuns(
  open: StreamCase,
  stream: WatchedStream,
  byText: ReadonlyMap<string, readonly ToldEvent[]>,
): readonly Run[] {
  const runs = [beginRun(undefined)]
  for (const sight of stream.sights) {
    if (sight.kind !== "event") continue
    if (sight.event === "ready" || sight.event === "reset") {
      runs.push(beginRun(sight))
      if (sight.event === "ready" || mayBeReset(open.faults)) continue
      open.fail(`${toName(stream)} was reset, though nothing was lost`)
      continue
    }
    const run = runs.at(-1)
    if (run !== undefined && isNew(open, stream, run, sight)) {
      show(open, stream, run, { sight, event: findTold(byText.get(sight.data), run) })
    }
  }
  return runs
}

function beginRun(begin: EventSight | undefined): Run {
  const isAfterReset = begin?.event === "reset"
  return { begin, isAfterReset, shown: [], textOf: new Map(), forgotten: undefined }
}

/** Whether the run has not shown it yet by the same id. */
function isNew(
  { fail }: StreamCase,
  stream: WatchedStream,
  { textOf }: Run,
  { id, data }: EventSight,
): boolean {
  const known = textOf.get(id)
  if (known === data) return false
  if (known !== undefined) fail(`${toName(stream)} calls two events ${id}: ${known} and ${data}`)
  textOf.set(id, data)
  return true
}

interface Showing {
  readonly sight: EventSight
  /** Undefined where the log doesn't have it. */
  readonly event: ToldEvent | undefined
}

function show(
  { faults, fail }: StreamCase,
  stream: WatchedStream,
  run: Run,
  { event, sight }: Showing,
): void {
  const name = toName(stream)
  if (event === undefined) {
    run.forgotten = sight
    if (!isShownForgotten(faults, sight.at)) {
      fail(`${name} shows ${sight.data}, which the log hasn't, at ${sight.at}`)
    }
    return
  }
  if (run.forgotten !== undefined) {
    fail(`${name} goes on behind ${run.forgotten.data}, which is forgotten, without a reset`)
    run.forgotten = undefined
  }
  run.shown.push(event)
}

/** Of events with the same words, which follow each other within a millisecond, the first that was not shown. */
function findTold(same: readonly ToldEvent[] | undefined, { shown }: Run): ToldEvent | undefined {
  if (same === undefined || same.length === 1) return same?.[0]
  return same.find((each) => !shown.includes(each)) ?? same[0]
}

/** Whether commits were lost, or entries of feeds forgotten by a time that ran ahead. */
function mayBeReset({ forgotten, isTimeAhead }: RoundFaults): boolean {
  return forgotten.length > 0 || isTimeAhead
}

/** Each task's events one after the other, from the first on unless a reset came before. */
function judgeRuns(open: StreamCase, stream: WatchedStream, runs: readonly Run[]): void {
  for (const { isAfterReset, shown } of runs) {
    for (const [task, events] of Map.groupBy(shown, (each) => each.task)) {
      if (stream.task !== undefined && task !== stream.task) {
        open.fail(`${toName(stream)} shows task ${task}`)
      }
      if (!isAfterReset) judgeFromFirst(open, stream, events)
      else if (!isInOneGo(events, open.told.get(task) ?? [])) {
        const versions = events.map(({ version }) => version).join(", ")
        open.fail(`${toName(stream)} shows versions ${versions} of ${task} after its reset`)
      }
    }
  }
}

function judgeFromFirst(
  { fail }: StreamCase,
  stream: WatchedStream,
  events: readonly ToldEvent[],
): void {
  let next = 1
  for (const { task, version } of events) {
    if (version !== next) {
      fail(`${toName(stream)} shows version ${version} of ${task} in place of version ${next}`)
    }
    next = version + 1
  }
}

/** Whether the words of `all` have those of `events` in them; which of the same words they are, nobody can tell. */
function isInOneGo(events: readonly ToldEvent[], all: readonly ToldEvent[]): boolean {
  return all.some((_, from) => events.every(({ text }, index) => all[from + index]?.text === text))
}

/** While a node lives on it ends no stream but that of a task whose end was shown, or of a key that is denied. */
function judgeConnections(open: StreamCase, stream: WatchedStream): void {
  const { fail, told } = open
  const name = toName(stream)
  let hasEnded = false
  for (const [index, sight] of stream.sights.entries()) {
    if (sight.kind === "event") hasEnded ||= isEnd(stream, sight)
    const mayEnd =
      hasEnded || isDenied(stream.sights[index + 1]) || isSuspended(open, stream, sight)
    if (sight.kind === "ended" && !mayEnd && !mayLeave(open, sight)) {
      fail(`${name} was ended before its end by ${sight.node}`)
    }
    if (sight.kind === "answered" && !isDenied(sight) && !isRight(sight.status, stream, told)) {
      fail(`${name} was answered ${sight.status}`)
    }
  }
}

function mayLeave(
  { faults }: StreamCase,
  { at, node }: Extract<Sight, { kind: "ended" }>,
): boolean {
  const isDead = (faults.endedAt.get(node) ?? Infinity) <= at + DEATH_MS
  // Of a task that is lost there is nothing more to show.
  return isDead || wasForgotten(faults, at)
}

/** The key was revoked, or the account suspended. */
function isDenied(sight: Sight | undefined): boolean {
  return sight?.kind === "answered" && (sight.status === 401 || sight.status === 403)
}

/** Whether its account was suspended at that moment, as far as every process knew: by the next try it may be back. */
function isSuspended(
  { suspensions }: StreamCase,
  { account }: WatchedStream,
  { at }: Sight,
): boolean {
  return suspensions.some(
    (each) =>
      each.account === account &&
      each.askedAt <= at &&
      at <= each.endedAt + OBEYED_MS + TOLERANCE_MS,
  )
}

function isEnd({ task }: WatchedStream, { event }: EventSight): boolean {
  return task !== undefined && (event === "task.succeeded" || event === "task.failed")
}

/** A task that is lost is unknown; that it is, is judged elsewhere. */
function isRight(status: number, { task }: WatchedStream, told: ToldEvents): boolean {
  if (task === undefined) return false
  return status === 204 || (status === 404 && !told.has(task))
}

/**
 * The last that a task's stream shows is the task's end. A client that was shown one that is forgotten since has
 * left, and can't be told.
 */
function judgeTask(
  { faults, fail, told }: StreamCase,
  stream: WatchedStream,
  task: string,
  runs: readonly Run[],
): void {
  const last = runs.findLast(({ shown }) => shown.length > 0)?.shown.at(-1)
  const shown = stream.sights.filter((sight) => sight.kind === "event")
  // Events of its artifacts follow a task's end.
  const hasLeft =
    shown.some((sight) => isEnd(stream, sight)) && isShownForgotten(faults, shown.at(-1)?.at ?? 0)
  if (told.has(task) && last?.isEnded !== true && !hasLeft) {
    fail(`${toName(stream)} ends with ${last?.type ?? "nothing"}; it was shown ${toSeen(stream)}`)
  }
}

function toSeen({ sights }: WatchedStream): string {
  const words = sights.map((sight) => {
    if (sight.kind === "event") return `${sight.id} ${sight.event}`
    return sight.kind === "ended" ? "the end of an answer" : `${sight.status}`
  })
  return words.join(", ")
}

/**
 * An account's stream shows everything there is. What came before a reset may be missing; by the stored feed it is
 * known what came behind.
 */
function judgeAccount(
  { feeds, fail, told }: StreamCase,
  { account }: WatchedStream,
  runs: readonly Run[],
): void {
  const last = runs.at(-1)
  const shown = new Set(last?.shown.map(({ text }) => text))
  const toMissing = (events: readonly ToldEvent[]): string =>
    events.flatMap((event) => (shown.has(event.text) ? [] : toWords(event))).join(", ")
  if (last?.isAfterReset !== true) {
    const all = [...told.values()].flat().filter((event) => event.account === account)
    const missing = toMissing(all)
    if (missing !== "") fail(`the stream of account ${account} lacks ${missing}`)
    return
  }
  const [feed = "", position = ""] = last.begin?.id.split(":") ?? []
  const stored = feeds.get(account)
  if (stored?.id !== feed) return fail(`the stream of account ${account} was reset to another feed`)
  const behind = stored.entries.filter((entry) => entry.position > Number(position))
  const missing = toMissing(
    behind.flatMap(({ task, version }) => told.get(task)?.[version - 1] ?? []),
  )
  if (missing !== "") fail(`the stream of account ${account} lacks ${missing} behind its reset`)
}

function toWords({ task, version }: ToldEvent): string {
  return `version ${version} of ${task}`
}
