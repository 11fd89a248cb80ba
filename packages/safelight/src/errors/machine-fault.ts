/**
 * Tells faults of the machine (an address in use, a folder that can't be written) from a wrong configuration. The
 * pieces report both as `invalid-configuration`; a system error as its cause makes the difference. Another try
 * may succeed, so the exit code is 1 and not 2.
 */
import { isSafelightError } from "@safelight/core"
import { CommandError } from "./command-error.ts"
import { EXIT } from "./exit-code.ts"

/** A host that is not this machine's is a wrong setting, although the system reports it. */
const WRONG_HOST = new Set(["EADDRNOTAVAIL", "ENOTFOUND"])

/** The same error, unless the machine is at fault. */
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
