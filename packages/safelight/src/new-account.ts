/** Makes an account with the configuration's default settings. */
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

/** Leaves an existing account as it is. Durable once resolved. */
export async function makeAccount(
  storage: Accounts,
  { id, now, defaults }: NewAccount,
): Promise<void> {
  if ((await storage.findAccount(id)) !== undefined) return
  await storage.setAccount({ id, now, settings: defaults })
}

/** As `createFirstKey`, but the account has its limits before anybody has the key. */
export async function makeFirstKey(
  storage: Accounts & Pick<Storage, "createFirstKey" | "listKeys">,
  { now, defaults }: Omit<NewAccount, "id">,
): Promise<NewKey | undefined> {
  const isMade = (await storage.findAccount(FIRST_ACCOUNT)) !== undefined
  if (!isMade && (await storage.listKeys()).length > 0) return undefined
  await makeAccount(storage, { id: FIRST_ACCOUNT, now, defaults })
  return createFirstKey(storage, now)
}
