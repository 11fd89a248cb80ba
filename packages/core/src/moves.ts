/**
 * Whether a database may be worked with, told from the moves it knows of. One that was sealed must
 * stay as it is: its unfinished tasks go on elsewhere, and working on them here buys them twice.
 */
import type { Move } from "./ports/move-storage.ts"
import { SafelightError } from "./safelight-error.ts"

/** The id of the move that seals a database; a digest never reads like it. */
export const SEAL_ID = "seal"

/** Throws `already-moved` where the database was sealed, or an import into it is not complete. */
export function assertServable(moves: readonly Move[]): void {
  if (moves.some(({ state }) => state === "left")) {
    throw moved(
      "this data was sealed and moves elsewhere: go on where it was imported; " +
        "only while nothing was, `safelight export --unseal` opens it again",
    )
  }
  if (moves.some(({ state }) => state === "arriving")) {
    throw moved("an import into this data is not complete: run the same `safelight import` again")
  }
}

function moved(message: string): SafelightError {
  return new SafelightError({ code: "already-moved", message })
}
