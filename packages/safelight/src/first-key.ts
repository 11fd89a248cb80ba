/** The key of the first start: made where the database holds none, not even a revoked one. */
import type { KeyStorage } from "@safelight/core"
import { createKey, type NewKey } from "./api-keys.ts"

export const FIRST_ACCOUNT = "default"

/** Undefined where there are keys already. */
export async function createFirstKey(
  keys: Pick<KeyStorage, "createKey" | "listKeys">,
  now: number,
): Promise<NewKey | undefined> {
  if ((await keys.listKeys()).length > 0) return undefined
  return createKey({ keys, account: FIRST_ACCOUNT, now })
}
