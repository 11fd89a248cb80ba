/** The private links of a deployment: those of an artifact or of an account end, and a new key signs the next ones. */
import type { Clock, KeyMaker, LinkKey, Storage } from "@safelight/core"
import type { RecordChange } from "../changes/record-changes.ts"
import { toRecordedKeys } from "../changes/recorded-keys.ts"

export interface LinksOptions {
  readonly storage: Storage
  readonly clock: Pick<Clock, "now">
  readonly keys: KeyMaker
  readonly record: RecordChange
}

/** Whose links end. */
export type LinksOf =
  | { readonly kind: "account"; readonly account: string }
  | { readonly kind: "artifact"; readonly task: string; readonly key: string }

export interface Links {
  /**
   * Ends every private link that was made until now; each process obeys within a second. False for an unknown account
   * or artifact. Each call counts.
   */
  revokeLinks(of: LinksOf, changedBy: string): Promise<boolean>
  /** As `KeyMaker.rotateLinkKey`. */
  rotateLinkKey(changedBy: string): Promise<Omit<LinkKey, "secret">>
}

export function createLinks({ clock, keys, record, storage }: LinksOptions): Links {
  return {
    async revokeLinks(of, changedBy) {
      const change = "links-revoked"
      // A mistyped name must not look like a revocation.
      if (of.kind === "account") {
        const { account } = of
        if (!(await isKnownAccount(storage, account))) return false
        await record(changedBy, { change, target: account, account })
        await storage.raiseLinkEpoch({ kind: "account", account, now: clock.now() })
      } else {
        const task = (await storage.readTask(of.task))?.task
        if (task?.artifacts.some(({ key }) => key === of.key) !== true) return false
        const { account } = task
        const details = { artifact: of.key }
        await record(changedBy, { change, target: of.task, account, details })
        await storage.raiseLinkEpoch(of)
      }
      return true
    },
    rotateLinkKey: (changedBy) =>
      keys.rotateLinkKey(toRecordedKeys(storage, record, changedBy), clock.now()),
  }
}

async function isKnownAccount(storage: Storage, account: string): Promise<boolean> {
  if ((await storage.findAccount(account)) !== undefined) return true
  // An account of an embedding host may have tasks and no row.
  return (await storage.listTasks({ account, limit: 1 })).tasks.length > 0
}
