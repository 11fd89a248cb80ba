/**
 * The parts of a channel's answer, each as it may be recorded or undefined where it is none: a
 * channel may be foreign code and say anything. What an event would refuse is settled here.
 */
import {
  MAX_CHARGE_MICROS,
  MAX_COST_UNIT_CHARACTERS,
  MAX_USAGE,
  toCanonicalJson,
  type Json,
  type ProviderCost,
} from "@safelight/core"

/** As long as an event's short texts. */
const REASON_CHARACTERS = 200
const MESSAGE_CHARACTERS = 1_000
/** A provider's own words are kept next to the log: enough for any error page. */
const WORDS_CHARACTERS = 100_000
/** An operation is a handle and no result: it stands in an event and in the task for good. */
const OPERATION_CHARACTERS = 65_536
const OPERATION_DEPTH = 64
/** Nothing is put off for longer; what waits past a task's end is ended then. */
const LONGEST_PAUSE_MS = 30 * 86_400_000

/** Type and subtype (RFC 9110 §8.3.1), with parameters or without. */
const MIME_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[ -~]*)?$/

/** Any text as a reason or code; "unspecified" where there is none. */
export function toReason(value: unknown): string {
  return toText(value, REASON_CHARACTERS) ?? "unspecified"
}

export function toMessage(value: unknown): string | undefined {
  return toText(value, MESSAGE_CHARACTERS)
}

export function toWords(value: unknown): string | undefined {
  return toText(value, WORDS_CHARACTERS)
}

/** Cut to its bound, half a character at the cut or elsewhere replaced. */
function toText(value: unknown, mostCharacters: number): string | undefined {
  if (typeof value !== "string" || value === "") return undefined
  return value.slice(0, mostCharacters).toWellFormed()
}

/** A pause in whole milliseconds. */
export function toPauseMs(value: unknown): number | undefined {
  return isAmount(value) ? Math.min(Math.ceil(value), LONGEST_PAUSE_MS) : undefined
}

/** A number of pieces or milliseconds that a channel says it billed. */
export function toCount(value: unknown): number | undefined {
  return isAmount(value) && Number.isInteger(value) && value <= MAX_USAGE ? value : undefined
}

/** What a provider says it charged; undefined where it is no amount of a unit, or more than any. */
export function toProviderCost(value: unknown): ProviderCost | undefined {
  if (!isRecord(value)) return undefined
  const { amount, unit } = value
  if (!isAmount(amount) || amount * 1_000_000 > MAX_CHARGE_MICROS) return undefined
  if (typeof unit !== "string" || !COST_UNIT.test(unit)) return undefined
  return { amount, unit }
}

/** A plain name: it stands in the log for good, and in tables that people read. */
const COST_UNIT = new RegExp(`^[a-z][a-z0-9_]{0,${MAX_COST_UNIT_CHARACTERS - 1}}$`)

export function toMimeType(value: unknown): string | undefined {
  const isOne = typeof value === "string" && value.length <= REASON_CHARACTERS
  return isOne && MIME_TYPE.test(value) ? value : undefined
}

/** A digest as `LinkedOutput` has it. */
export function toSha256(value: unknown): string | undefined {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? value : undefined
}

/**
 * A copy of the operation as every node will read it; undefined where it is no plain JSON of its size,
 * or null, which is what a task holds that nobody has accepted.
 */
export function toOperation(value: unknown): Json | undefined {
  if (value === undefined || value === null || !isShallow(value, OPERATION_DEPTH)) return undefined
  let text: string
  try {
    text = toCanonicalJson(value)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
  return text.length > OPERATION_CHARACTERS ? undefined : (JSON.parse(text) as Json)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0
}

/** Whether nothing is nested deeper; what contains itself is. */
function isShallow(value: unknown, levels: number): boolean {
  if (!isRecord(value)) return true
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1))
}
