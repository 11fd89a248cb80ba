/**
 * The host's side of one measurement: it answers the requests of a process until the process reports its
 * result. Nothing in that is believed but a kind that was possible, a duration and a size.
 *
 *   starting → reading → measured or unreadable
 *       │         ├─ its time is over, or it asks too much → stopped
 *       └─────────┴─ death → not-started, died
 */
import type { Clock, MediaKind } from "@safelight/core"
import type { BytePipe } from "./byte-pipe.ts"
import { DEFAULTS } from "./options.ts"
import { createWorkTime, type WorkTime } from "./work-time.ts"
import {
  MOST_ANSWER_BYTES,
  readSaid,
  writeOrder,
  type MeasuredKind,
  type Order,
  type Said,
} from "./wire.ts"

export interface Medium extends Order {
  /** Gives all bytes of the range, or rejects. */
  readonly read: (start: number, end: number) => Promise<Uint8Array>
  readonly signal: AbortSignal
}

export interface Measured {
  readonly kind: "measured"
  readonly mediaKind: MeasuredKind
  readonly durationMs: number
  readonly width: number
  readonly height: number
}

export type MeasureEnd =
  | Measured
  /** The process reports it, and may measure other media. */
  | { readonly kind: "unreadable" }
  /** The process took too long or asked for too much: it has to be killed. */
  | { readonly kind: "stopped" }
  /** The process ended while it read, or sent something that ours would not. */
  | { readonly kind: "died" }
  /** The same, but before it began, so the medium can't be the cause. */
  | { readonly kind: "not-started" }

export interface Conversation {
  readonly pipe: BytePipe
  readonly medium: Medium
  readonly clock: Clock
  readonly inspectMs: number
  /** Ends the process, and so its pipe. */
  readonly kill: () => void
}

/** Rejects as `medium.read` does; resolves soon after the pipe has ended. */
export async function converse(conversation: Conversation): Promise<MeasureEnd> {
  const { pipe, medium, clock, inspectMs, kill } = conversation
  let isLate = false
  const time = createWorkTime(clock, () => {
    isLate = true
    kill()
  })
  try {
    time.allow(DEFAULTS.startMs)
    await writeOrder(pipe, medium)
    if ((await readSaid(pipe))?.kind !== "begun") return { kind: "not-started" }
    time.allow(toWorkMs(medium, inspectMs))
    const end = await answer(conversation, time)
    return end.kind === "died" && isLate ? { kind: "stopped" } : end
  } finally {
    time.stop()
  }
}

function toWorkMs({ bytes }: Medium, inspectMs: number): number {
  return bytes < DEFAULTS.smallBytes ? Math.min(inspectMs, DEFAULTS.smallInspectMs) : inspectMs
}

/**
 * How much a process may read of one medium, in multiples of its size. The host's reads don't count as the
 * process's time, so without this bound a process could make the host read for ever. The parsers have been
 * seen to read a long medium once, and a short one one and a half times.
 */
const TIMES_READ = 4
/** On top, for short media, of which the least cost of a request counts: 256 requests. */
const SPARE_BYTES = 16 * 1024 * 1024
/** What a shorter request counts as: it costs the host about as much. */
const LEAST_COST_BYTES = 64 * 1024

function isRange({ start, end }: { readonly start: number; readonly end: number }, bytes: number) {
  const isInteger = Number.isSafeInteger(start) && Number.isSafeInteger(end)
  return isInteger && start >= 0 && start < end && end <= bytes && end - start <= MOST_ANSWER_BYTES
}

async function answer({ pipe, medium }: Conversation, time: WorkTime): Promise<MeasureEnd> {
  let leftBytes = TIMES_READ * medium.bytes + SPARE_BYTES
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const said = await readSaid(pipe)
    if (said?.kind !== "ask") return toEnd(said, medium.kinds)
    const { start, end } = said
    leftBytes -= Math.max(end - start, LEAST_COST_BYTES)
    if (!isRange(said, medium.bytes) || leftBytes < 0) return { kind: "stopped" }
    time.pause()
    // oxlint-disable-next-line no-await-in-loop
    const bytes = await medium.read(start, end)
    time.resume()
    // oxlint-disable-next-line no-await-in-loop
    await pipe.write(bytes)
  }
}

function toEnd(said: Said | undefined, kinds: readonly MediaKind[]): MeasureEnd {
  if (said?.kind === "unreadable") return { kind: "unreadable" }
  if (said?.kind === "measured" && kinds.includes(said.mediaKind)) return said
  return { kind: "died" }
}
