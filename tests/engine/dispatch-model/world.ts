/**
 * The shapes of the model: one task, the nodes that may work on it, the storage and the upstream they
 * share, and the messages under way. What a reader would get wrong: `nowMs` is the true time, which
 * nobody in the model can read; a node sees its own monotonic and wall clock only.
 */
import type { Task, TaskCommand, TaskEvent } from "@safelight/core"
import type { Safeguard } from "./safeguards.ts"
import { LEASE_MS } from "./timing.ts"

export type ChannelKind = "keyed" | "lookup" | "unkeyed"

/** What the adversary may do besides letting time pass, in any world. */
export const FAULTS = [
  "copy",
  "crash",
  "cut",
  "jump",
  "keep-back",
  "lose",
  "pause",
  "refuse",
  "void",
  "wait",
] as const

/** And where it is told to: each changes what may be promised. */
export const RARE_FAULTS = ["away", "go-back"] as const

export type Fault = (typeof FAULTS)[number] | (typeof RARE_FAULTS)[number]

/** The messages it may lay hands on. */
export const TOUCHABLE = [
  "append",
  "appended",
  "heartbeat",
  "renewed",
  "take",
  "taken",
  "submit",
  "answered",
  "found",
  "polled",
] as const satisfies readonly MessageBody["kind"][]

export interface Setup {
  readonly channel: ChannelKind
  /** Whether there is time enough: then nothing bought may be lost. */
  readonly isRoomy: boolean
  /** Few kinds of faults at a time find more than all of them at once. */
  readonly faults: readonly Fault[]
  readonly touched: readonly MessageBody["kind"][]
  /** Stretches without faults before the adversary begins. */
  readonly prelude: number
  /** By how much each node's clocks differ from the true time; one entry a node. */
  readonly clocks: readonly { readonly monotonicMs: number; readonly wallMs: number }[]
}

export interface World {
  readonly setup: Setup
  readonly without: ReadonlySet<Safeguard>
  nowMs: number
  /** Numbers nodes' steps: calls, appends, drivers. */
  lastId: number
  readonly storage: LogStorage
  readonly upstream: Upstream
  readonly nodes: readonly Node[]
  messages: Message[]
  /** Operations whose answer reached a process that is still there to record it. */
  heard: Hearing[]
  /** The same, also where the task had ended by then. */
  told: Hearing[]
  /** Operations that were named in a log. */
  readonly named: Set<string>
  /** Operations bought by a process that knew of another one. */
  readonly boughtKnowingly: string[]
  /** What happened, in words; absent where nobody will read it. */
  readonly story: string[] | undefined
}

export interface Hearing {
  readonly process: string
  readonly operation: string
}

export interface LogStorage extends Commits {
  /** What it was before each of its last commits, the latest last. */
  readonly earlier: Commits[]
  /** It goes back once in a schedule, as after a failover. */
  hasGoneBack: boolean
}

/** All that a commit changes. */
export interface Commits {
  head: Task
  events: TaskEvent[]
  /** The id of the append that wrote each version: what was stored twice is recognised by it. */
  writers: Map<number, number>
  /** The task's place in the queue. */
  ready: { lease: string | null; dueAt: number; isDone: boolean }
  leases: Map<string, LeaseRow>
}

export interface LeaseRow {
  readonly beats: number
  readonly wallAt: number
}

export interface Upstream {
  /** Everything created. Of those that were not told void, one is the most there may ever be. */
  readonly operations: Operation[]
  /** Calls that arrived, by their ids, and whether they were refused: so is every copy of them. */
  readonly metCalls: Map<number, boolean>
  /** Keys whose intent the storage has lost. */
  readonly forgottenKeys: Set<string>
  /** While it is away it refuses, or creates and loses every answer. */
  absence: "refusing" | "cutting" | null
}

export interface Operation {
  readonly id: string
  readonly key: string
  readonly boughtAt: number
  /** Processes that knew of it when it was forgotten. */
  readonly knowers: Set<string>
  /** It will produce nothing, and is not billed. */
  isVoid: boolean
  /** A process has heard how it ended: before that nobody can know that it is void. */
  isEndTold: boolean
}

export interface Node {
  readonly name: string
  readonly monotonicMs: number
  wallMs: number
  boots: number
  isUp: boolean
  isPaused: boolean
  /** This boot: the address of answers, and the name of its lease. */
  process: string
  /** On its monotonic clock: when its latest answered heartbeat was sent; -Infinity before the first. */
  renewedAt: number
  /** How often its lease may have expired before it was renewed. */
  lapses: number
  beats: number
  beatAt: number | null
  /** The heartbeat under way, and the drivers that were in hand when it was sent. */
  beating: {
    readonly id: number
    readonly askedAt: number
    readonly known: readonly number[]
  } | null
  /** The taking under way. */
  taking: { readonly id: number; readonly askedAt: number; readonly lapses: number } | null
  /** Since when the task is held under its lease and unknown to it. */
  unknownSince: number | null
  /** The leases of others, and since when their heartbeats stand still on its monotonic clock. */
  seen: Map<string, LeaseRow & { readonly sinceAt: number }>
  drivers: Driver[]
  /** Of its breaker: failed calls in a row, and until when nothing is begun. */
  failuresInARow: number
  openUntil: number
  /** Calls whose answer may still come, also after their time-out. */
  calls: Map<number, Call>
}

export interface Call {
  readonly id: number
  readonly head: Task
  readonly isRepeat: boolean
}

/** One piece of work in a process: a task held, a late answer, or a task past its end. */
export interface Driver {
  readonly id: number
  /** What it holds the task under; null where it only writes down what somebody must. */
  lease: string | null
  head: Task
  readonly takenAt: number
  isCalledOff: boolean
  /** Begins once this one is done: one driver a task and process. */
  readonly after: number | null
  stage: Stage
}

export type Stage =
  | { readonly kind: "deciding" }
  | {
      readonly kind: "recording"
      readonly append: Append
      readonly isFact: boolean
      /** What is to be recorded, and the stored task that it was built on. */
      readonly commands: readonly TaskCommand[]
      readonly known: Task
      readonly sentAt: number
      readonly tries: number
      /** What follows a recorded intent. */
      readonly next: Stage
    }
  | { readonly kind: "cleared"; readonly isRepeat: boolean; readonly isChecked: boolean }
  | { readonly kind: "calling"; readonly call: Call; readonly untilAt: number }
  | { readonly kind: "waiting"; readonly untilAt: number }
  | { readonly kind: "asking"; readonly askedAt: number | null }
  | { readonly kind: "gone" }

export interface Append {
  readonly id: number
  readonly expectedVersion: number
  /** The task as it was left, which stands for its hash. */
  readonly expectedHash: string
  /** In order; what the task does not take is left out. */
  readonly commands: readonly TaskCommand[]
  /** When they were decided. */
  readonly at: number
  /** The events they make, in words. */
  readonly words: string
  readonly queue: QueueChange | undefined
}

export type QueueChange =
  | { readonly kind: "finish" }
  | { readonly kind: "reschedule"; readonly dueAt: number }

/** A request or an answer under way. It arrives once, late, never, or more than once. */
export interface Message {
  readonly body: MessageBody
  /** True time after which it won't arrive any more. */
  readonly lostAt: number
  /** Answers go to this process alone; null for requests. */
  readonly process: string | null
  /** Kept back by the adversary while everything else goes on. */
  isKeptBack?: boolean
}

export type MessageBody =
  | {
      readonly kind: "append"
      readonly driver: number
      readonly append: Append
      readonly by: string
    }
  | {
      readonly kind: "appended"
      readonly driver: number
      readonly id: number
      /** The fresh head where the task was not as expected; else null. */
      readonly conflict: Task | null
    }
  | {
      readonly kind: "heartbeat"
      readonly by: string
      readonly id: number
      readonly beats: number
      readonly wallAt: number
    }
  | {
      readonly kind: "renewed"
      readonly id: number
      /** Whether the task is held under the lease. */
      readonly isHeld: boolean
      readonly leases: readonly (LeaseRow & { readonly lease: string })[]
    }
  | { readonly kind: "take"; readonly by: string; readonly id: number }
  | { readonly kind: "taken"; readonly id: number; readonly head: Task }
  | { readonly kind: "submit"; readonly by: string; readonly call: number; readonly key: string }
  | {
      readonly kind: "answered"
      readonly call: number
      /** The operation, or null: not created. */
      readonly operation: string | null
    }
  | { readonly kind: "found"; readonly driver: number; readonly operation: string | null }
  | { readonly kind: "polled"; readonly driver: number; readonly operation: Task["operation"] }

export function has(world: World, safeguard: Safeguard): boolean {
  return !world.without.has(safeguard)
}

export function nextId(world: World): number {
  world.lastId += 1
  return world.lastId
}

export function monotonicNow(world: World, node: Node): number {
  return world.nowMs + node.monotonicMs
}

/** On its monotonic clock: past it, others may have expired its lease. */
export function heldUntil({ renewedAt }: Node): number {
  return renewedAt + LEASE_MS
}

export function wallNow(world: World, node: Node): number {
  return world.nowMs + node.wallMs
}

export function tell(world: World, words: () => string): void {
  world.story?.push(`${world.nowMs} ${words()}`)
}
