/**
 * Schedules written by hand, for harm that lies deeper than chance finds: two safeguards cover for each
 * other, and only a long row of coincidences gets past both missing. What a reader would get wrong: a
 * schedule asks for what it wants to come about ("until A may send"), and goes on where it does not,
 * which is how the very same schedule is harmless once a safeguard is back.
 */
import { drain } from "./drain.ts"
import { runFairly } from "./fair-course.ts"
import { findHarm, type Harm } from "./harm.ts"
import { pass } from "./moves.ts"
import { createWorld } from "./new-world.ts"
import { crash } from "./process.ts"
import type { Safeguard } from "./safeguards.ts"
import { LEASE_MS, SUBMIT_TIMEOUT_MS, TIGHT } from "./timing.ts"
import type { ChannelKind, MessageBody, Node, Stage, World } from "./world.ts"

export interface WrittenSchedule {
  readonly title: string
  readonly channel: ChannelKind
  /** By how much each node's wall clock is ahead. */
  readonly walls: readonly number[]
  /** All of them missing do harm; with any of them there is none. */
  readonly without: readonly Safeguard[]
  readonly act: (world: World) => void
}

/** Things that happen at most until something is given up. */
const PATIENT_ROUNDS = 400

/** Late enough that a lease of time 0 is no longer fresh, too early for it to be expired. */
const LATE_MS = LEASE_MS - 5

/** How long A puts its call off once B waits. */
const LAST_MOMENT_MS = 4

export function playWritten(
  { act, channel, walls }: WrittenSchedule,
  without: ReadonlySet<Safeguard>,
  story?: string[],
): Harm | undefined {
  const clocks = walls.map((wallMs, index) => ({ monotonicMs: index * 1_000, wallMs }))
  const isRoomy = channel !== "keyed"
  const setup = { channel, isRoomy, faults: [], touched: [], prelude: 0, clocks }
  const world = createWorld(setup, without, story)
  act(world)
  drain(world)
  return findHarm(world)
}

/** Only these nodes run, until it has come about or won't. */
function goOn(world: World, names: string, until: (world: World) => boolean): void {
  for (const node of world.nodes) node.isPaused = !names.includes(node.name)
  for (let round = 0; round < PATIENT_ROUNDS && !until(world); round += 1) runFairly(world, round)
}

/** Nobody runs until then. */
function rest(world: World, untilMs: number): void {
  pass(world, Math.max(0, untilMs - world.nowMs))
}

function find(world: World, name: string): Node {
  const node = world.nodes.find((each) => each.name === name)
  if (node === undefined) throw new RangeError(`there is no node ${name}`)
  return node
}

function stands(name: string, kind: Stage["kind"]): (world: World) => boolean {
  return (world) => find(world, name).drivers.some(({ stage }) => stage.kind === kind)
}

function sees(name: string, other: string): (world: World) => boolean {
  return (world) => find(world, name).seen.has(find(world, other).process)
}

function isUnderWay(kind: MessageBody["kind"]): (world: World) => boolean {
  return ({ messages }) => messages.some(({ body }) => body.kind === kind)
}

function keepBack(world: World, kind: MessageBody["kind"], isKeptBack = true): void {
  for (const message of world.messages)
    if (message.body.kind === kind) message.isKeptBack = isKeptBack
}

/** B takes the task over before A sends; A's request arrives when B has asked and not found it. */
function sendBehindTakeover(world: World): void {
  goOn(world, "B", stands("B", "waiting"))
  // As late as A's lease allows in all of these, so that the request still is under way then.
  pass(world, LAST_MOMENT_MS)
  goOn(world, "A", isUnderWay("submit"))
  keepBack(world, "submit")
  goOn(world, "B", ({ storage }) => storage.head.state === "queued")
  keepBack(world, "submit", false)
  goOn(world, "", (now) => !isUnderWay("submit")(now))
}

export const WRITTEN_SCHEDULES: readonly WrittenSchedule[] = [
  {
    title: "a lease is judged by a wall clock that is ahead",
    channel: "lookup",
    walls: [0, 500],
    without: ["no-clocks-compared", "lookup-waits-lease"],
    act(world) {
      goOn(world, "A", stands("A", "cleared"))
      sendBehindTakeover(world)
    },
  },
  {
    title: "a lease is expired though it was renewed in the meantime",
    channel: "lookup",
    walls: [0, 0],
    without: ["expire-by-beats", "lookup-waits-lease"],
    act(world) {
      world.storage.ready.dueAt = LATE_MS
      goOn(world, "AB", sees("B", "A"))
      rest(world, LATE_MS)
      goOn(world, "A", stands("A", "cleared"))
      rest(world, LEASE_MS + 4)
      sendBehindTakeover(world)
    },
  },
  {
    title: "beats are timed from when they were asked for, and the question took long",
    channel: "lookup",
    walls: [0, 0],
    without: ["seen-from-reading", "lookup-waits-lease"],
    act(world) {
      world.storage.ready.dueAt = LATE_MS
      goOn(world, "B", isUnderWay("heartbeat"))
      keepBack(world, "heartbeat")
      rest(world, LATE_MS)
      goOn(world, "A", stands("A", "cleared"))
      keepBack(world, "heartbeat", false)
      sendBehindTakeover(world)
    },
  },
  {
    title: "a task is taken under a lease about to expire, and held as if that renewed it",
    channel: "lookup",
    walls: [0, 0],
    without: ["renewal-alone-prolongs", "takes-when-fresh", "lookup-waits-lease"],
    act(world) {
      world.storage.ready.dueAt = LATE_MS
      goOn(world, "AB", sees("B", "A"))
      rest(world, LATE_MS)
      goOn(world, "A", (now) => {
        keepBack(now, "heartbeat")
        return stands("A", "cleared")(now)
      })
      rest(world, LEASE_MS + 4)
      sendBehindTakeover(world)
    },
  },
  {
    title:
      "the heartbeats of a lease that had expired begin again, and are what somebody saw long ago",
    channel: "lookup",
    walls: [0, 0, -1_000],
    without: ["beats-never-again", "lookup-waits-lease"],
    act(world) {
      world.storage.ready.dueAt = LATE_MS
      goOn(world, "AB", sees("B", "A"))
      const { process } = find(world, "A")
      goOn(world, "C", ({ storage }) => !storage.leases.has(process))
      goOn(world, "A", stands("A", "cleared"))
      sendBehindTakeover(world)
    },
  },
  {
    title: "a late answer names void work, which is then taken for the next call's",
    channel: "lookup",
    walls: [0],
    without: ["keys-told-apart"],
    act(world) {
      goOn(world, "A", isUnderWay("answered"))
      keepBack(world, "answered")
      for (const operation of world.upstream.operations) operation.isVoid = true
      goOn(world, "A", isUnderWay("submit"))
      keepBack(world, "submit")
      keepBack(world, "answered", false)
      goOn(world, "A", ({ storage }) => storage.head.state === "running")
    },
  },
  {
    title: "a repeat is sent just in time, and arrives when the key is forgotten",
    channel: "keyed",
    walls: [0, 0],
    without: ["key-lifetime-with-margin"],
    act(world) {
      goOn(world, "A", isUnderWay("answered"))
      crash(world, find(world, "A"))
      // B needs a lease's time to expire A's, and a little to get to its own call.
      rest(world, TIGHT.keyMemoryMs - LEASE_MS - 3 * SUBMIT_TIMEOUT_MS)
      goOn(world, "B", isUnderWay("submit"))
      keepBack(world, "submit")
      pass(world, LEASE_MS)
    },
  },
]
