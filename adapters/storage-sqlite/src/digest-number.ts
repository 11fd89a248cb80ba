/** The dialect's number of a text, as a function of the connection that writes. The writing thread uses this file. */
import { hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

export const DIGEST_NUMBER = "digest_number"

export function addDigestNumber(database: DatabaseSync): void {
  const options = { deterministic: true, directOnly: true }
  database.function(DIGEST_NUMBER, options, (text) =>
    Number.parseInt(hash("sha256", String(text)).slice(0, 7), 16),
  )
}
