/**
 * The host's side of one measurement: it answers the requests of a process until the process reports its
 * result. Of that, only a kind that was possible, a duration and a size are accepted.
 *
 *   reading → measured or unreadable
 *      ├─ its time is over, or it asks too much → stopped
 *      └─ death, or a message that ours would not send → died
 */
import type { Worker } from "@safelight/host"
import { DEFAULTS } from "./options.ts"
import {
  MOST_ANSWER_BYTES,
  parseMessage,
  type Ask,
  type MeasureResult,
  type Order,
} from "./messages.ts"

export interface Medium extends Order {
  /** Gives all bytes of the range, or rejects. */
  readonly read: (start: number, end: number) => Promise<Uint8Array>
}

export type MeasureEnd =
  | MeasureResult
  /** The process took too long or asked for too much, and was killed. */
  | { readonly kind: "stopped" }
  /** The process ended while it read, or was killed since it sent something that ours would not. */
  | { readonly kind: "died" }

/** Rejects as `medium.read` does. */
export async function converse(
  worker: Worker,
  medium: Medium,
  inspectMs: number,
): Promise<MeasureEnd> {
  let leftBytes = TIMES_READ * medium.bytes + SPARE_BYTES
  worker.allow(toWorkMs(medium, inspectMs))
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const message = parseMessage(await worker.receive())
    if (message?.kind === "unreadable") return message
    if (message?.kind === "measured" && medium.kinds.includes(message.mediaKind)) return message
    // oxlint-disable-next-line no-await-in-loop
    if (message?.kind !== "ask") return { kind: (await worker.end()).isLate ? "stopped" : "died" }
    const { start, end } = message
    leftBytes -= Math.max(end - start, LEAST_COST_BYTES)
    if (!isRange(message, medium.bytes) || leftBytes < 0) {
      // oxlint-disable-next-line no-await-in-loop
      await worker.end()
      return { kind: "stopped" }
    }
    worker.pause()
    // oxlint-disable-next-line no-await-in-loop
    const bytes = await medium.read(start, end)
    worker.resume()
    // oxlint-disable-next-line no-await-in-loop
    await worker.send(bytes)
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

function isRange({ start, end }: Ask, bytes: number): boolean {
  return end <= bytes && end - start <= MOST_ANSWER_BYTES
}
