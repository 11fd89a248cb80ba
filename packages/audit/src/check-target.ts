/**
 * Whether an export fits into a database: nothing in it contradicts what is there, and it lets nobody
 * in unasked. Nothing is written here.
 */
import { isDeepStrictEqual } from "node:util"
import { NO_LIMITS, type Account, type Storage } from "@safelight/core"
import {
  refused,
  type ExportRecord,
  type KeyRecord,
  type LinkKeyRecord,
  type StreamRecord,
} from "./export-format.ts"

export type ExportTarget = Pick<
  Storage,
  | "findAccount"
  | "findKey"
  | "listAccounts"
  | "listTransfers"
  | "readEvents"
  | "readLinkKeys"
  | "readTotals"
  | "scan"
  | "sumCharges"
>

export interface Fit {
  /** Rejects on a record that contradicts what is there. */
  check(record: ExportRecord): Promise<void>
  /** Throws where the records of this file brought keys that may not come in. */
  checkKeys(file: string): void
}

/** Where nothing is to be taken in, everything fits. */
const NO_TARGET: Fit = { check: async () => {}, checkKeys() {} }

export async function createFit(
  target: ExportTarget | undefined,
  { withKeys = false }: { readonly withKeys?: boolean },
): Promise<Fit> {
  if (target === undefined) return NO_TARGET
  // Mostly there is no task yet, and then none has to be looked for.
  const hasTasks = (await target.scan({ after: "", limit: 1 })).streams.length > 0
  const linkKeys = await target.readLinkKeys()
  const isEmpty = !hasTasks && linkKeys.length === 0 && (await target.listAccounts()).length === 0
  const transfers = await target.listTransfers()
  const knownLinkKeys = new Map(linkKeys.map(({ id, secret }) => [id, secret]))
  let [newKeys, newLinkKeys] = [0, 0]
  return {
    async check(record) {
      if (record.kind === "account") await checkAccount(record.account, target)
      if (record.kind === "key") newKeys += Number(await isNewKey(record, target))
      if (record.kind === "link-key") newLinkKeys += Number(isNewLinkKey(record, knownLinkKeys))
      if (record.kind === "stream" && hasTasks) await checkTask(record, target)
    },
    checkKeys(file) {
      // An import that goes on was let in when it began; one that is through writes no key again.
      const isBegun = transfers.some(({ id }) => id === file)
      if (withKeys || isEmpty || isBegun || newKeys + newLinkKeys === 0) return
      throw refused(
        `the file brings ${newKeys} API keys and ${newLinkKeys} link keys, which let in whoever made ` +
          "it, and there is data already where it is to be imported: look at them with --check, " +
          "then allow them with --with-keys",
      )
    },
  }
}

async function checkAccount(account: Account, target: ExportTarget): Promise<void> {
  const { createdAt: _createdAt, id, ...settings } = account
  const known = await target.findAccount(id)
  if (known === undefined) return
  const { createdAt: _knownAt, id: _id, ...kept } = known
  if (isDeepStrictEqual(kept, settings) || isDeepStrictEqual(kept, NO_LIMITS)) return
  throw refused(`account "${id}" has other settings where it is to be imported`)
}

/** Rejects where a key of this id is another one. */
async function isNewKey({ key }: KeyRecord, target: ExportTarget): Promise<boolean> {
  const known = await target.findKey(key.id)
  if (known === undefined) return true
  if (known.secretSha256 === key.secretSha256 && known.account === key.account) return false
  throw refused(`key ${key.id} is another one where it is to be imported`)
}

/** Throws where a link key of this id is another one. */
function isNewLinkKey({ linkKey }: LinkKeyRecord, known: ReadonlyMap<string, string>): boolean {
  const secret = known.get(linkKey.id)
  if (secret === undefined) return true
  if (secret === linkKey.secret) return false
  throw refused(`link key ${linkKey.id} is another one where it is to be imported`)
}

/** The same stream may be there, also where it went on. */
async function checkTask(record: StreamRecord, target: ExportTarget): Promise<void> {
  const known = await target.readEvents(record.task)
  const last = record.events.at(-1)
  if (known.length === 0 || known[record.events.length - 1]?.hash === last?.hash) return
  throw refused(`task ${record.task} has another log where it is to be imported`)
}
