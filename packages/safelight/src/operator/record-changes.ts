/**
 * Has each change that an operator makes recorded before it is made, with who makes it: by the operator's API, by a
 * command, or by the link that signs a browser in. What would change nothing, such as revoking a key that there is
 * not, is not recorded.
 */
import {
  SILENT_LOG,
  type Clock,
  type Log,
  type OperatorChange,
  type OperatorChangeStorage,
  type ResolveRequest,
  type Storage,
  type Task,
} from "@safelight/core"
import { createIdentifiers, systemRandomness } from "@safelight/engine"
import { toOwnMembers } from "../metrics/own-members.ts"

export interface ChangeRecordOptions {
  readonly storage: Pick<OperatorChangeStorage, "addOperatorChange">
  readonly clock: Pick<Clock, "now">
  /** Has a line for each change. */
  readonly log?: Log
}

export interface NewChange
  extends
    Pick<OperatorChange, "account" | "change" | "target">,
    Partial<Pick<OperatorChange, "details">> {}

/** Durable once resolved; rejects as the storage does, and then nothing may be changed. */
export type RecordChange = (changedBy: string, change: NewChange) => Promise<void>

/** The same for one operator. */
export type RecordOwnChange = (change: NewChange) => Promise<void>

export function createChangeRecord(options: ChangeRecordOptions): RecordChange {
  const { clock, log = SILENT_LOG, storage } = options
  const identifiers = createIdentifiers(systemRandomness)
  return async (changedBy, { details = {}, ...named }) => {
    const at = clock.now()
    const id = identifiers.createTaskId(at)
    await storage.addOperatorChange({ id, at, changedBy, details, ...named })
    const { account, change, target } = named
    log.info({ changedBy, change, target, account }, "operator")
  }
}

/** What of a storage is changed by operators and, of a running service, by nobody else. */
export type ChangingStorage = Pick<
  Storage,
  | "addLinkKey"
  | "createKey"
  | "eraseInputs"
  | "pauseChannel"
  | "raiseLinkEpoch"
  | "resumeChannel"
  | "revokeKey"
  | "rotateKey"
  | "setAccount"
>

type Asked = Pick<Storage, "findKey" | "readTask">

/** The same methods for one operator. */
export function toRecorded<Given extends Partial<ChangingStorage> & Partial<Asked>>(
  storage: Given,
  record: RecordOwnChange,
): Given {
  const whole = storage as unknown as ChangingStorage & Asked
  const recorded = { ...toRecordedKeys(whole, record), ...toRecordedOthers(whole, record) }
  const given = Object.entries(recorded).filter(([name]) => name in storage)
  return { ...toOwnMembers(storage), ...Object.fromEntries(given) }
}

/** The settling of a task in doubt, which goes through the log of tasks. */
export function toResolution({ account, id }: Task, request: ResolveRequest): NewChange {
  const verdict = "fail" in request ? "fail" : "adopt"
  return { change: "task-resolved", target: id, account, details: { verdict } }
}

function toRecordedKeys(
  storage: ChangingStorage & Asked,
  record: RecordOwnChange,
): Pick<ChangingStorage, "createKey" | "revokeKey" | "rotateKey"> {
  return {
    async createKey(key) {
      const { account, expiresAt, id: target, scopes } = key
      await record({ change: "key-created", target, account, details: { scopes, expiresAt } })
      return storage.createKey(key)
    },
    async revokeKey(request) {
      const found = await storage.findKey(request.id)
      if (found === undefined) return false
      await record({ change: "key-revoked", target: found.id, account: found.account })
      return storage.revokeKey(request)
    },
    async rotateKey(request) {
      const { expiresAt: replacedExpiresAt, id, successor } = request
      const found = await storage.findKey(id)
      if (found === undefined || found.revokedAt !== 0) return false
      const { account } = found
      const { expiresAt, id: newId } = successor
      const details = { successor: newId, expiresAt, replacedExpiresAt }
      await record({ change: "key-rotated", target: id, account, details })
      return storage.rotateKey(request)
    },
  }
}

function toRecordedOthers(
  storage: ChangingStorage & Asked,
  record: RecordOwnChange,
): Omit<ChangingStorage, "createKey" | "revokeKey" | "rotateKey"> {
  const findOwner = async (task: string): Promise<string | undefined> =>
    (await storage.readTask(task))?.task.account
  return {
    async setAccount(change) {
      const { id, settings } = change
      await record({ change: "account-set", target: id, account: id, details: { settings } })
      return storage.setAccount(change)
    },
    async raiseLinkEpoch(scope) {
      const change = "links-revoked"
      if (scope.kind === "account") {
        await record({ change, target: scope.account, account: scope.account })
      } else {
        const account = (await findOwner(scope.task)) ?? null
        await record({ change, target: scope.task, account, details: { artifact: scope.key } })
      }
      return storage.raiseLinkEpoch(scope)
    },
    async addLinkKey(key) {
      await record({ change: "link-key-rotated", target: key.id, account: null })
      return storage.addLinkKey(key)
    },
    async pauseChannel(pause) {
      await record({ change: "channel-paused", target: pause.channel, account: null })
      return storage.pauseChannel(pause)
    },
    async resumeChannel(channel) {
      await record({ change: "channel-resumed", target: channel, account: null })
      return storage.resumeChannel(channel)
    },
    async eraseInputs(task, options) {
      const account = await findOwner(task)
      if (account !== undefined) await record({ change: "task-erased", target: task, account })
      return storage.eraseInputs(task, options)
    },
  }
}
