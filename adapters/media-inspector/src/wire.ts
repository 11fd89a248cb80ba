/**
 * The frames on the pipe between the host and a process that measures: numbers, in frames of fixed sizes.
 * Hostile media may have taken the process over: fixed frames need no parser in the host, and nothing in it can
 * grow. The bytes that the process asked for follow without a frame, since it knows how many they are.
 *
 *   host     order ─────────────── bytes ── …
 *   process  ────── begun ─ ask ───────────── … measured or unreadable
 */
import type { MediaKind } from "@safelight/core"
import type { BytePipe } from "./byte-pipe.ts"

/** The file descriptor of the pipe in the process; libraries might write to lower ones. */
export const PIPE = 3

/** The bytes of one answer, at most. */
export const MOST_ANSWER_BYTES = 1024 * 1024

const KINDS = ["video", "audio"] as const satisfies readonly MediaKind[]
export type MeasuredKind = (typeof KINDS)[number]

export interface Order {
  /** Of the medium. */
  readonly bytes: number
  /** The one or two kinds that it may be, the wanted first. */
  readonly kinds: readonly MediaKind[]
}

export type Said =
  | { readonly kind: "begun" | "unreadable" }
  | { readonly kind: "ask"; readonly start: number; readonly end: number }
  | {
      readonly kind: "measured"
      readonly mediaKind: MeasuredKind
      readonly durationMs: number
      /** Of a video as it is displayed; 0 × 0 of a sound. */
      readonly width: number
      readonly height: number
    }

const ORDER_BYTES = 10
const SAID_BYTES = 26
const SAYINGS = ["begun", "unreadable", "ask", "measured"] as const

export function writeOrder(pipe: BytePipe, { bytes, kinds }: Order): Promise<void> {
  const frame = Buffer.alloc(ORDER_BYTES)
  for (const [index, kind] of kinds.slice(0, 2).entries()) frame[index] = toKindNumber(kind)
  frame.writeDoubleBE(bytes, 2)
  return pipe.write(frame)
}

/** Undefined once the host is gone. */
export async function readOrder(pipe: BytePipe): Promise<Order | undefined> {
  const frame = await pipe.read(ORDER_BYTES)
  if (frame === undefined) return undefined
  const kinds = [...frame.subarray(0, 2)].flatMap((each) => KINDS[each - 1] ?? [])
  return { bytes: frame.readDoubleBE(2), kinds }
}

export function writeSaid(pipe: BytePipe, said: Said): Promise<void> {
  const frame = Buffer.alloc(SAID_BYTES)
  frame[0] = SAYINGS.indexOf(said.kind)
  if (said.kind === "ask") {
    frame.writeDoubleBE(said.start, 2)
    frame.writeDoubleBE(said.end, 10)
  } else if (said.kind === "measured") {
    frame[1] = toKindNumber(said.mediaKind)
    frame.writeDoubleBE(said.durationMs, 2)
    frame.writeDoubleBE(said.width, 10)
    frame.writeDoubleBE(said.height, 18)
  }
  return pipe.write(frame)
}

/** Undefined if the process is gone, or sends something that no process of ours would. */
export async function readSaid(pipe: BytePipe): Promise<Said | undefined> {
  const frame = await pipe.read(SAID_BYTES)
  if (frame === undefined) return undefined
  const [saying = -1, mediaKind = 0] = frame
  const [one, other, third] = [
    frame.readDoubleBE(2),
    frame.readDoubleBE(10),
    frame.readDoubleBE(18),
  ] as const
  const kind = SAYINGS[saying]
  if (kind === undefined) return undefined
  switch (kind) {
    case "begun":
    case "unreadable":
      return { kind }
    case "ask":
      return { kind, start: one, end: other }
    case "measured":
      return toMeasured(KINDS[mediaKind - 1], [one, other, third])
  }
}

type Numbers = readonly [number, number, number]

function toMeasured(
  mediaKind: MeasuredKind | undefined,
  [durationMs, width, height]: Numbers,
): Said | undefined {
  const least = mediaKind === "video" ? 1 : 0
  const isPossible = isAtLeast(1, durationMs) && isAtLeast(least, width) && isAtLeast(least, height)
  if (mediaKind === undefined || !isPossible) return undefined
  return { kind: "measured", mediaKind, durationMs, width, height }
}

function isAtLeast(least: number, value: number): boolean {
  return Number.isSafeInteger(value) && value >= least
}

/** 0 if media of this kind are not measured. */
function toKindNumber(kind: MediaKind): number {
  return KINDS.findIndex((each) => each === kind) + 1
}
