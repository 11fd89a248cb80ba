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
  /** Is accepted, makes no progress and ends as out of time. */
  readonly isStalled?: true
  /** Breaks the content policy wherever the safety checker is on. */
  readonly isUnsafe?: true
  /** Takes no request with the safety checker off. */
  readonly needsChecker?: true
  /** Ends the process that renders it. */
  readonly isCrashing?: true
}

export interface ReadPrompt {
  /** The prompt without its directives. */
  readonly text: string
  readonly directives: Directives
}

/** Spaces and names are bounded, so that matching stays linear. */
const DIRECTIVE = /\[studio: {0,4}([a-z_]+(?:[ -][a-z0-9_]+){0,3}) {0,4}\]/g
const UNITS = { ms: 1, s: 1000, m: 60_000 } as const
/**
 * The longest that a directive can make a task wait. A minute tests a client's patience, and no other
 * task waits longer for the room that this one takes.
 */
export const LONGEST_WAIT_MS = 60_000
const MOST_DEFERRALS = 20

const WORDS: Readonly<Record<string, Directives>> = {
  "at-once": { isImmediate: true },
  stall: { isStalled: true },
  unsafe: { isUnsafe: true },
  "require-checker": { needsChecker: true },
  crash: { isCrashing: true },
}

/** Where directives are looked for: a prompt may be longer than anybody should have to search. */
const READ_CHARACTERS = 64 * 1024

/** Of two directives of one kind the later rules. */
export function readPrompt(prompt: string): ReadPrompt {
  let directives: Directives = {}
  const read = prompt.slice(0, READ_CHARACTERS)
  const left = read.replaceAll(DIRECTIVE, (whole, instruction: string) => {
    const said = readInstruction(instruction)
    if (said === undefined) return whole
    directives = { ...directives, ...said }
    return ""
  })
  if (left === read) return { text: prompt, directives }
  return { text: `${left}${prompt.slice(READ_CHARACTERS)}`.trim(), directives }
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
  return delayMs <= LONGEST_WAIT_MS ? { delayMs } : undefined
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
