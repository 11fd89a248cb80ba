/** Calls of an SDK that must not break what they describe. */
import { diag } from "@opentelemetry/api"

/** Undefined if the SDK throws; the logger that the host has set for OpenTelemetry gets the reason. */
export function guard<Result>(call: () => Result): Result | undefined {
  try {
    return call()
  } catch (error) {
    diag.error("safelight: the SDK failed", error)
    return undefined
  }
}

/** The same of a call that takes its time. */
export async function guardLater(call: () => Promise<void>): Promise<void> {
  try {
    await call()
  } catch (error) {
    diag.error("safelight: the SDK failed", error)
  }
}
