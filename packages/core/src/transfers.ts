/**
 * Whether a database may be served, by the transfers that it has recorded. A sealed one must stay as it
 * is: its unfinished tasks are continued elsewhere, and working on them here would buy them twice.
 */
import type { Transfer } from "./ports/transfer-storage.ts"
import { SafelightError } from "./errors/safelight-error.ts"

/** The id of the transfer that seals a database; a digest never reads like it. */
export const SEAL_ID = "seal"

/** Throws `in-transfer` if the database was sealed, or an import into it is not complete. */
export function assertServable(transfers: readonly Transfer[]): void {
  if (transfers.some(({ state }) => state === "sealed")) {
    throw inTransfer(
      "this data was sealed and moves elsewhere: go on where it was imported; " +
        "only while nothing was, `safelight export --unseal` opens it again",
    )
  }
  if (transfers.some(({ state }) => state === "importing")) {
    throw inTransfer(
      "an import into this data is not complete: run the same `safelight import` again",
    )
  }
}

function inTransfer(message: string): SafelightError {
  return new SafelightError({ code: "in-transfer", message })
}
