/** An error of the client in a terminal: what the person reads, and the exit code that a script reads. */
import { isApiError, type ApiError } from "@safelight/client"
import { EXIT, type ExitCode } from "../errors/exit-code.ts"

export function toApiMessage(error: ApiError): string {
  const { cause, code, idempotencyKey, message, status, type } = error
  if (code === "outcome_unknown" && idempotencyKey !== undefined) {
    const seen = isApiError(cause) ? toApiMessage(cause) : message
    return (
      `${seen}: whether a task was created is unknown, and it may be billed; ` +
      "`safelight tasks list` shows what there is; " +
      `the same command with --idempotency-key ${idempotencyKey} makes no second task`
    )
  }
  const isRefused = status !== undefined && status >= 300
  if (!isRefused) return message
  const words = type === "client_error" ? "" : `: ${message} (${code})`
  return `the service answered ${status}${words}`
}

export function toApiExitCode({ code, status = 0 }: ApiError): ExitCode {
  if (code === "outcome_unknown") return EXIT.outcomeUnknown
  return status >= 300 && status < 500 ? EXIT.refused : EXIT.unavailable
}
