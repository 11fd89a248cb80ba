/** Runs checks beside each other. One that fails or hangs is a fault of its own, and keeps no other from being told. */
import { isSafelightError, type Clock } from "@safelight/core"
import { CommandError } from "../errors/command-error.ts"
import { formatDuration } from "../text/duration.ts"
import { fault, type Finding } from "./finding.ts"

export interface Check {
  readonly name: string
  readonly run: () => Promise<readonly Finding[]>
  /** What to do if it fails. */
  readonly advice: string
}

export interface RunOptions {
  readonly checks: readonly Check[]
  /** The longest that a check may take. */
  readonly patienceMs: number
  readonly clock: Pick<Clock, "wait">
}

export interface Ran {
  /** In the order of the checks. */
  readonly findings: readonly Finding[]
  /** Whether a check was left behind, which may keep a process from ending. */
  readonly isLeft: boolean
}

export async function runChecks({ checks, ...options }: RunOptions): Promise<Ran> {
  const ran = await Promise.all(checks.map((check) => runCheck(check, options)))
  return {
    findings: ran.flatMap(({ findings }) => findings),
    isLeft: ran.some(({ isLeft }) => isLeft),
  }
}

async function runCheck(check: Check, options: Omit<RunOptions, "checks">): Promise<Ran> {
  const { clock, patienceMs } = options
  const over = new AbortController()
  const late = clock.wait(patienceMs, over.signal).then(
    () => undefined,
    () => undefined,
  )
  const run = toFindings(check)
  const findings = await Promise.race([run, late])
  over.abort()
  if (findings !== undefined) return { findings, isLeft: false }
  const words = `it had not ended after ${formatDuration(patienceMs)}`
  return { findings: [fault(check.name, words, check.advice)], isLeft: true }
}

async function toFindings({ advice, name, run }: Check): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (error) {
    return [fault(name, toWords(error), advice)]
  }
}

/** As `toFailure` has it, but for the line around it. */
function toWords(error: unknown): string {
  if (error instanceof CommandError || isSafelightError(error)) return error.message
  return `internal error: ${error instanceof Error ? error.message : String(error)}`
}
