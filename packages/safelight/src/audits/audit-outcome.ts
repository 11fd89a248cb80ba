/**
 * The exit codes of the `audit` commands, which differ from those of other commands: 0 whole, 1 differs, 2 could not
 * tell, which includes every failure.
 */
import type { AuditReport } from "@safelight/audit"
import { isSafelightError } from "@safelight/core"
import { CommandError } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"
import { toFailure } from "../errors/failure-line.ts"

export const AUDIT_EXIT = {
  whole: EXIT.done,
  differs: EXIT.failed,
  "could-not-tell": EXIT.refused,
} as const satisfies Record<AuditReport["outcome"], number>

/** What is said of two things together: a difference of one is one of both. */
export function joinOutcomes(
  one: AuditReport["outcome"],
  other: AuditReport["outcome"],
): AuditReport["outcome"] {
  return one === "whole" || other === "differs" ? other : one
}

/** What was asked about is not so. */
export class DiffersError extends CommandError {
  constructor(message: string) {
    super({ exitCode: AUDIT_EXIT.differs, message })
  }
}

/**
 * Rejects with a `CommandError` that means `could not tell`, also for a fault of this program, and for every error but a
 * `DiffersError`.
 */
export async function orUntold(run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    throw toUntold(error)
  }
}

function toUntold(error: unknown): CommandError {
  if (error instanceof DiffersError) return error
  if (!(error instanceof CommandError) && !isSafelightError(error)) {
    const message = toFailure(error, { withStack: false }).text.replace(/^safelight: /, "")
    return new CommandError({ exitCode: EXIT.refused, message, cause: error })
  }
  return new CommandError({ exitCode: EXIT.refused, message: error.message, cause: error })
}
