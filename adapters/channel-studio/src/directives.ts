/**
 * Instructions to the sandbox, written into a prompt as `[studio: …]`. Reading them is pure and
 * never fails: what is not exactly a directive is prompt text like any other. A prompt is read
 * once: text that becomes a directive only because another was taken out stays text.
 */
import { isFailureCode, type FailureCode } from "@safelight/core"

export interface Directives {
  /** Waits this long before the rendering starts. */
  readonly delayMs?: number
  /** Ends in this failure instead of a result. */
  readonly failure?: { readonly code: FailureCode; readonly isBilled: boolean }
  /** This many attempts are turned down as not created. */
  readonly deferrals?: number
  /** Answers the submission with the result. */
  readonly isImmediate?: true
  /** Is accepted and never finishes. */
  readonly isStalled?: true
  /** Breaks the content policy wherever the safety checker is on. */
  readonly isUnsafe?: true
  /** Takes no request with the safety checker off. */
  readonly needsChecker?: true
  /** Ends the worker thread that renders it. */
  readonly isCrashing?: true
}

export interface ReadPrompt {
  /** The prompt without its directives. */
  readonly text: string
  readonly directives: Directives
}

/** Spaces and names are bounded: nothing longer is a directive, and matching stays linear. */
const DIRECTIVE = /\[studio: {0,4}([a-z_]+(?:[ -][a-z0-9_]+){0,3}) {0,4}\]/g
const UNITS = { ms: 1, s: 1000, m: 60_000 } as const
/** A longer wait is better tested with `stall`. */
export const LONGEST_DELAY_MS = 3_600_000
export const MOST_DEFERRALS = 20

const WORDS: Readonly<Record<string, Directives>> = {
  "at-once": { isImmediate: true },
  stall: { isStalled: true },
  unsafe: { isUnsafe: true },
  "require-checker": { needsChecker: true },
  crash: { isCrashing: true },
}

/** Of two directives of one kind the later rules. */
export function readPrompt(prompt: string): ReadPrompt {
  let directives: Directives = {}
  const text = prompt.replaceAll(DIRECTIVE, (whole, instruction: string) => {
    const read = readInstruction(instruction)
    if (read === undefined) return whole
    directives = { ...directives, ...read }
    return ""
  })
  return text === prompt ? { text, directives } : { text: text.trim(), directives }
}

function readInstruction(instruction: string): Directives | undefined {
  if (Object.hasOwn(WORDS, instruction)) return WORDS[instruction]
  const [verb = "", ...rest] = instruction.split(" ")
  switch (verb) {
    case "delay":
      return readDelay(rest)
    case "fail":
      return readFailure(rest)
    case "defer":
      return readDeferrals(rest)
    default:
      return undefined
  }
}

function readDelay([length, ...rest]: readonly string[]): Directives | undefined {
  const [, digits, unit] = /^(\d{1,7})(ms|s|m)$/.exec(length ?? "") ?? []
  if (digits === undefined || rest.length > 0) return undefined
  const delayMs = Number(digits) * UNITS[unit as keyof typeof UNITS]
  return delayMs <= LONGEST_DELAY_MS ? { delayMs } : undefined
}

function readFailure([code, billed, ...rest]: readonly string[]): Directives | undefined {
  if (code === undefined || !isFailureCode(code) || rest.length > 0) return undefined
  if (billed !== undefined && billed !== "billed") return undefined
  return { failure: { code, isBilled: billed === "billed" } }
}

function readDeferrals([count, ...rest]: readonly string[]): Directives | undefined {
  const deferrals = Number(/^\d{1,2}$/.exec(count ?? "")?.[0] ?? Number.NaN)
  const isInRange = deferrals >= 1 && deferrals <= MOST_DEFERRALS
  return isInRange && rest.length === 0 ? { deferrals } : undefined
}
