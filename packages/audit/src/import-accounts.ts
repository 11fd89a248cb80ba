/**
 * Accounts, keys and link keys of an export, taken in as they are. That what is there already is the
 * same was checked before; a key may have been revoked since, and then stays so.
 */
import type { Storage } from "@safelight/core"
import type { AccountRecord, BodyRecord, KeyRecord, StreamRecord } from "./export-format.ts"
import type { Turns } from "./imported-place.ts"

/** Writes what is no stream; twice is the same as once. */
export async function importRecord(
  record: Exclude<BodyRecord, StreamRecord>,
  storage: Storage,
  turns: Turns,
): Promise<void> {
  switch (record.kind) {
    case "account":
      turns.setWeight(record.account.id, record.account.weight)
      return writeAccount(record, storage)
    case "key":
      return writeKey(record, storage)
    case "link-key":
      return storage.addLinkKey(record.linkKey)
  }
}

async function writeAccount(
  { account, linkEpoch }: AccountRecord,
  storage: Storage,
): Promise<void> {
  const { id, createdAt: now, ...settings } = account
  // One that is there has these settings or none, else the import was refused.
  await storage.setAccount({ id, now, settings })
  const scope = { kind: "account", account: id, now } as const
  if (linkEpoch > 0) await storage.restoreLinkEpoch({ scope, epoch: linkEpoch })
}

/** One that is there is the same, and stays: it may have been revoked since. */
async function writeKey({ key }: KeyRecord, storage: Storage): Promise<void> {
  if ((await storage.findKey(key.id)) === undefined) await storage.createKey(key)
}
