/** What a check of `safelight doctor` found: a line of its report. */
export type FindingState = "ok" | "warning" | "fault"

export interface Finding {
  /** What was looked at, in a word or two: `database`, `channel fal`. */
  readonly check: string
  readonly state: FindingState
  /** What is so, or what is wrong; in words for people, without any secret. */
  readonly words: string
  /** What to do; absent if there is nothing to do. */
  readonly advice?: string
}

export function ok(check: string, words: string): Finding {
  return { check, state: "ok", words }
}

export function warning(check: string, words: string, advice: string): Finding {
  return { check, state: "warning", words, advice }
}

export function fault(check: string, words: string, advice: string): Finding {
  return { check, state: "fault", words, advice }
}

/** The findings that there are, or that all is well. */
export function orElse(found: readonly (Finding | undefined)[], well: Finding): readonly Finding[] {
  const all = found.filter((each) => each !== undefined)
  return all.length > 0 ? all : [well]
}
