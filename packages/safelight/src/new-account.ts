/** Makes an account with the settings that the configuration has for those without any of their own. */
import { createFirstKey, FIRST_ACCOUNT, type NewKey } from "@safelight/access"
import type { Storage } from "@safelight/core"
import type { Configuration } from "./configuration/configuration.ts"

export interface NewAccount {
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  readonly defaults: Configuration["accounts"]["defaults"]
}

type Accounts = Pick<Storage, "findAccount" | "setAccount">

/** Leaves one that is there as it is; durable once resolved. */
export async function makeAccount(
  storage: Accounts,
  { id, now, defaults }: NewAccount,
): Promise<void> {
  if ((await storage.findAccount(id)) !== undefined) return
  await storage.setAccount({ id, now, settings: defaults })
}

/** `createFirstKey`, for an account that has its limits before anybody has the key. */
export async function makeFirstKey(
  storage: Accounts & Pick<Storage, "createFirstKey" | "listKeys">,
  { now, defaults }: Omit<NewAccount, "id">,
): Promise<NewKey | undefined> {
  const isMade = (await storage.findAccount(FIRST_ACCOUNT)) !== undefined
  if (!isMade && (await storage.listKeys()).length > 0) return undefined
  await makeAccount(storage, { id: FIRST_ACCOUNT, now, defaults })
  return createFirstKey(storage, now)
}
