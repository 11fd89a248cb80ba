/**
 * Whether a database may be worked with, told from the transfers it knows of. One that was sealed must
 * stay as it is: its unfinished tasks go on elsewhere, and working on them here buys them twice.
 */
import type { Transfer } from "./ports/transfer-storage.ts"
import { SafelightError } from "./safelight-error.ts"

/** The id of the transfer that seals a database; a digest never reads like it. */
export const SEAL_ID = "seal"

/** Throws `in-transfer` where the database was sealed, or an import into it is not complete. */
export function assertServable(transfers: readonly Transfer[]): void {
  if (transfers.some(({ state }) => state === "sealed")) {
    throw moved(
      "this data was sealed and moves elsewhere: go on where it was imported; " +
        "only while nothing was, `safelight export --unseal` opens it again",
    )
  }
  if (transfers.some(({ state }) => state === "importing")) {
    throw moved("an import into this data is not complete: run the same `safelight import` again")
  }
}

function moved(message: string): SafelightError {
  return new SafelightError({ code: "in-transfer", message })
}
