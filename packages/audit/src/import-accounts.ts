/**
 * Accounts, keys and link keys of an export, imported as they are. The first reading of the file checked
 * that those which are there already are the same; a key may have been revoked since, and then stays so.
 */
import type { Storage } from "@safelight/core"
import type { RecordOf } from "./export-format.ts"

/** Writes an account's settings, and how often its links were revoked; twice is the same as once. */
export async function importAccount(
  { account, linkEpoch }: RecordOf<"account">,
  storage: Storage,
): Promise<void> {
  const { id, createdAt: now, ...settings } = account
  // One that is there has these settings or none, else the import was refused.
  await storage.setAccount({ id, now, settings })
  const scope = { kind: "account", account: id, now } as const
  if (linkEpoch > 0) await storage.restoreLinkEpoch({ scope, epoch: linkEpoch })
}

/** Writes an API key or a link key; twice is the same as once. */
export async function importKey(
  record: RecordOf<"key" | "link-key">,
  storage: Storage,
): Promise<void> {
  if (record.kind === "link-key") return storage.addLinkKey(record.linkKey)
  const { key } = record
  // One that is there is the same, and stays: it may have been revoked since.
  if ((await storage.findKey(key.id)) === undefined) await storage.createKey(key)
}
