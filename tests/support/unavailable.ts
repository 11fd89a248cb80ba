/** What a storage rejects with while its database does not answer. */
import { SafelightError } from "@safelight/core"

export function unavailable(): SafelightError {
  const message = "the database does not answer"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}
