/**
 * Tells what the machine refuses (a taken address, a folder that can't be written) from what was
 * configured wrongly: the pieces report both as `invalid-configuration`, and the system's own error
 * behind it makes the difference. Another try may go well, so the exit code is another.
 */
import { isSafelightError } from "@safelight/core"
import { CommandError } from "./command-error.ts"
import { EXIT } from "./exit-code.ts"

/** A host that is none of this machine's is a wrong setting, though the system says so. */
const WRONG_HOST = new Set(["EADDRNOTAVAIL", "ENOTFOUND"])

/** The error as it is, unless the machine is at fault. */
export function toMachineFault(error: unknown): unknown {
  if (!isSafelightError(error) || error.code !== "invalid-configuration") return error
  if (!isRefusedBySystem(error.cause)) return error
  return new CommandError({ exitCode: EXIT.failed, message: error.message, cause: error })
}

function isRefusedBySystem(cause: unknown): boolean {
  if (!(cause instanceof Error) || !("syscall" in cause)) return false
  const { code = "" } = cause as NodeJS.ErrnoException
  return !WRONG_HOST.has(code)
}
