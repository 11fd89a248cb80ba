/**
 * The messages between the host and a process that measures. The bytes that the process asked for follow without
 * a frame, since it knows how many they are.
 *
 *   host     order ─────────────── bytes ── …
 *   process  ────── begun ─ ask ───────────── … measured or unreadable
 */
import type { MediaKind } from "@safelight/core"

/** The bytes of one answer, at most. */
export const MOST_ANSWER_BYTES = 1024 * 1024

export type MeasuredKind = "video" | "audio"

export interface Order {
  /** Of the medium. */
  readonly bytes: number
  /** The one or two kinds that it may be, the wanted first. */
  readonly kinds: readonly MediaKind[]
}

export interface Ask {
  readonly kind: "ask"
  readonly start: number
  readonly end: number
}

export interface Measured {
  readonly kind: "measured"
  readonly mediaKind: MeasuredKind
  readonly durationMs: number
  /** Of a video as it is displayed; 0 × 0 of a sound. */
  readonly width: number
  readonly height: number
}

/** How a measurement ended, as its process reports. */
export type MeasureResult = Measured | { readonly kind: "unreadable" }

/** Undefined if no process of ours would send it: hostile media may have taken the process over. */
export function parseMessage(message: unknown): Ask | MeasureResult | undefined {
  if (typeof message !== "object" || message === null) return undefined
  const { kind, ...fields } = message as Readonly<Record<string, unknown>>
  switch (kind) {
    case "unreadable":
      return { kind }
    case "ask": {
      const { start, end } = fields
      return isAtLeast(0, start) && isAtLeast(start + 1, end) ? { kind, start, end } : undefined
    }
    case "measured": {
      const { durationMs, height, mediaKind, width } = fields
      if (mediaKind !== "video" && mediaKind !== "audio") return undefined
      const least = mediaKind === "video" ? 1 : 0
      if (!isAtLeast(1, durationMs)) return undefined
      if (!isAtLeast(least, width) || !isAtLeast(least, height)) return undefined
      return { kind, mediaKind, durationMs, width, height }
    }
    default:
      return undefined
  }
}

function isAtLeast(least: number, value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
