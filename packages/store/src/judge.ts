/**
 * Judges a batch change by change, in the order of arrival, after the batch as a whole has failed. It runs
 * inside the transaction that then commits the survivors, on facts that a driver read there. The driver
 * locks totals in the order of their accounts before it reads them, so that none changes before the commit.
 *
 *   stored already → as if committed now      another newest event → conflict
 *   key used → known                          no room → refused          otherwise → survives
 */
import { SafelightError, type Admission } from "@safelight/core"
import { findFullLimit, type Room } from "./admission.ts"
import {
  ADMITTED,
  CONFLICT,
  toNewestEvent,
  type LogChange,
  type LogOutcome,
} from "./sql/log-change.ts"
import type { IdempotencyRow } from "./sql/tables.ts"
import type { How } from "./writing/lane.ts"

/** Facts by which a batch is judged, as its transaction reads them. */
export interface Facts {
  /** Of those accounts of the batch that have a limit. */
  readonly rooms: readonly (Room & { readonly account: string })[]
  /** Of the keys that the batch would use; others may be among them. */
  readonly uses: readonly Omit<IdempotencyRow, "usedAt">[]
  /** The newest event of each task that is there. */
  readonly heads: readonly Head[]
  /** The events stored at the versions that the changes would add last. */
  readonly stored: readonly Head[]
  /** The tasks that are locked for this batch; undefined if locks were not asked for. */
  readonly locked: readonly string[] | undefined
}

export interface Head {
  readonly task: string
  readonly hash: string
}

export interface Judgement {
  /** The outcome of each change in order, valid once the survivors are committed. */
  readonly outcomes: readonly (LogOutcome | SafelightError)[]
  /** The changes to commit, in the order of arrival. */
  readonly survivors: readonly LogChange[]
}

/** Each survivor changes the totals of its account. */
type CountedRoom = { -readonly [Member in keyof Room]: Room[Member] }

interface Found {
  readonly rooms: ReadonlyMap<string, CountedRoom>
  readonly uses: Map<string, Admission>
  readonly heads: Map<string, string>
  readonly stored: ReadonlyMap<string, string>
  readonly locked: ReadonlySet<string> | undefined
}

export function judge(changes: readonly LogChange[], facts: Facts, how: How): Judgement {
  const found = toFound(facts)
  const survivors: LogChange[] = []
  const outcomes = changes.map((change) => {
    const outcome = decide(change, found)
    if (outcome !== undefined) {
      // The earlier try, whose answer was lost, may still find room.
      return how.isUnknown && outcome.kind === "refused" ? unknownOutcome() : outcome
    }
    if (isHeld(change, found)) return heldByOthers(change)
    survivors.push(change)
    take(change, found)
    return ADMITTED
  })
  return { outcomes, survivors }
}

function toFound({ rooms, uses, heads, stored, locked }: Facts): Found {
  return {
    rooms: new Map(rooms.map(({ account, ...room }) => [account, room])),
    uses: new Map(
      uses.map(({ account, key, ...use }) => [toUseName(account, key), { kind: "known", ...use }]),
    ),
    heads: new Map(heads.map(toEntry)),
    stored: new Map(stored.map(toEntry)),
    locked: locked && new Set(locked),
  }
}

function isHeld({ append }: LogChange, { locked }: Found): boolean {
  return append.expectedVersion > 0 && locked?.has(append.task) === false
}

function decide({ append, isAsked, use }: LogChange, found: Found): LogOutcome | undefined {
  const { task, expectedHash, changes } = append
  if (found.stored.get(task) === toNewestEvent(append).hash) return ADMITTED
  if (isAsked) {
    const known = use && found.uses.get(toUseName(changes.task.account, use.key))
    const refused = known ?? toRefusal(found.rooms.get(changes.task.account), changes.task)
    if (refused !== undefined) return refused
  }
  return found.heads.get(task) === expectedHash ? undefined : CONFLICT
}

function toRefusal(
  room: Room | undefined,
  { reservationMicros }: { readonly reservationMicros: number },
): Admission | undefined {
  const limit = room && findFullLimit(room, reservationMicros)
  return limit && { kind: "refused", limit }
}

/** Counts a survivor for the changes after it. */
function take({ append, use }: LogChange, found: Found): void {
  const { task, changes } = append
  const { account } = changes.task
  found.heads.set(task, changes.task.hash)
  if (use !== undefined) {
    const { fingerprint, key } = use
    found.uses.set(toUseName(account, key), { kind: "known", task, fingerprint })
  }
  const room = found.rooms.get(account)
  if (room === undefined || changes.totals === undefined) return
  const { chargedMicros, reservedMicros, unfinishedTasks } = changes.totals
  if (room.spentMicros !== null) room.spentMicros += chargedMicros + reservedMicros
  if (room.unfinishedTasks !== null) room.unfinishedTasks += unfinishedTasks
}

function toUseName(account: string, key: string): string {
  return JSON.stringify([account, key])
}

function heldByOthers({ append: { task } }: LogChange): SafelightError {
  const message = `task ${task} is held by another transaction`
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}

/** Retryable and not undone: the caller learns that the outcome is unknown. */
function unknownOutcome(): SafelightError {
  const message = "the database did not say whether the task was stored"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}

function toEntry({ task, hash }: Head): readonly [string, string] {
  return [task, hash]
}
