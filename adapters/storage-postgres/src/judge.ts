/**
 * Judging a batch change by change, in the order of arrival: the slow way, taken where a batch as a
 * whole can't stand. It runs inside the transaction that then commits the survivors; totals are
 * locked in the order of their accounts, so nothing that is judged here moves before the commit.
 *
 *   stored already → as if committed now      another newest event → conflict
 *   key used → known                          no room → refused          otherwise → survives
 */
import type { Admission } from "@safelight/core"
import { findFullLimit, type RawRows, type Room } from "@safelight/store"
import { toBigintArray, toTextArray } from "./binary-array.ts"
import type { NamedQuery } from "./named-query.ts"
import { ADMITTED, CONFLICT, toNewestEvent, type Change, type Outcome } from "./change.ts"

export interface Judgement {
  /** What is decided without being written, by change. */
  readonly decided: ReadonlyMap<Change, Outcome>
  /** What is to be committed now, in the order of arrival. */
  readonly survivors: readonly Change[]
  /** Changes of tasks that somebody else holds; looked for where `asksHeld`. */
  readonly held: readonly Change[]
}

export type RunQuery = (query: NamedQuery) => Promise<RawRows>

/** What an account has is counted on with each survivor. */
type CountedRoom = { -readonly [Member in keyof Room]: Room[Member] }

interface Found {
  readonly rooms: ReadonlyMap<string, CountedRoom>
  readonly uses: Map<string, Admission>
  /** The newest event of each task, by its hash. */
  readonly heads: Map<string, string>
  /** What is stored at the versions that the changes would add last. */
  readonly hashes: ReadonlyMap<string, string>
  /** Tasks that are locked for this batch; undefined: nobody asked. */
  readonly locked: ReadonlySet<string> | undefined
}

export async function judge(
  changes: readonly Change[],
  run: RunQuery,
  asksHeld: boolean,
): Promise<Judgement> {
  const found = await find(changes, run, asksHeld)
  const decided = new Map<Change, Outcome>()
  const survivors: Change[] = []
  const held: Change[] = []
  for (const change of changes) {
    const outcome = decide(change, found)
    if (outcome !== undefined) decided.set(change, outcome)
    else if (isHeld(change, found)) held.push(change)
    else {
      survivors.push(change)
      take(change, found)
    }
  }
  return { decided, survivors, held }
}

function isHeld({ append }: Change, { locked }: Found): boolean {
  return append.expectedVersion > 0 && locked?.has(append.task) === false
}

function decide({ append, isJudged, use }: Change, found: Found): Outcome | undefined {
  const { task, expectedHash, changes } = append
  if (found.hashes.get(task) === toNewestEvent(append).hash) return ADMITTED
  if (isJudged) {
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

/** What a survivor leaves for those behind it. */
function take({ append, use }: Change, found: Found): void {
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

async function find(changes: readonly Change[], run: RunQuery, asksHeld: boolean): Promise<Found> {
  const accounts = [...new Set(changes.map(({ append }) => append.changes.task.account))]
  const tasks = changes.map(({ append }) => append.task)
  const newest = changes.map(({ append }) => toNewestEvent(append))
  const used = changes.filter(({ use }) => use !== undefined)
  const ofAccounts = toTextArray(accounts)
  // Sent together: the server answers one behind the other, so the second sees what the first locked.
  const [, rooms, uses, heads, hashes, locked] = await Promise.all([
    run({ ...LOCK_TOTALS, values: [ofAccounts] }),
    run({ ...FIND_ROOMS, values: [ofAccounts] }),
    run({
      ...FIND_USES,
      values: [
        toTextArray(used.map(({ append }) => append.changes.task.account)),
        toTextArray(used.map(({ use }) => use?.key ?? "")),
      ],
    }),
    run({ ...FIND_HEADS, values: [toTextArray(tasks)] }),
    run({
      ...FIND_HASHES,
      values: [toTextArray(tasks), toBigintArray(newest.map(({ version }) => version))],
    }),
    asksHeld ? run({ ...LOCK_TASKS, values: [toTextArray(tasks)] }) : undefined,
  ])
  return {
    rooms: new Map((rooms as readonly RoomRow[]).map(toRoom)),
    uses: new Map((uses as readonly UseRow[]).map(toUse)),
    heads: new Map(heads as readonly [string, string][]),
    hashes: new Map(hashes as readonly [string, string][]),
    locked: locked && new Set(locked.map(([task]) => String(task))),
  }
}

type RoomRow = readonly [
  account: string,
  budgetMicros: number | null,
  mostTasks: number | null,
  spentMicros: number | null,
  unfinishedTasks: number | null,
]
type UseRow = readonly [account: string, key: string, task: string, fingerprint: string]

function toRoom(row: RoomRow): [string, CountedRoom] {
  const [account, budgetMicros, mostTasks, spentMicros, unfinishedTasks] = row
  return [account, { budgetMicros, mostTasks, spentMicros, unfinishedTasks }]
}

function toUse([account, key, task, fingerprint]: UseRow): [string, Admission] {
  return [toUseName(account, key), { kind: "known", task, fingerprint }]
}

function toUseName(account: string, key: string): string {
  return JSON.stringify([account, key])
}

const LOCK_TOTALS = {
  name: "judge lock totals",
  text: `select 1 from account_totals where account = any($1::text[]) order by account for update`,
}

const FIND_ROOMS = {
  name: "judge find rooms",
  text: `select a.id, a.budget_micros, a.unfinished_tasks,
  t.charged_micros + t.reserved_micros, t.unfinished_tasks
from accounts as a
left join account_totals as t on t.account = any($1::text[]) and t.account = a.id
where a.id = any($1::text[]) and (a.budget_micros is not null or a.unfinished_tasks is not null)`,
}

const FIND_USES = {
  name: "judge find uses",
  text: `select u.account, u.key, u.task, u.fingerprint
from idempotency as u join unnest($1::text[], $2::text[]) as x(account, key)
on u.account = x.account and u.key = x.key
where u.account = any($1::text[]) and u.key = any($2::text[])`,
}

const FIND_HEADS = {
  name: "judge find heads",
  text: `select id, hash from tasks where id = any($1::text[])`,
}

const LOCK_TASKS = {
  name: "judge lock tasks",
  text: `select id from tasks where id = any($1::text[]) order by id for update skip locked`,
}

const FIND_HASHES = {
  name: "judge find hashes",
  text: `select e.task, e.hash from events as e
join unnest($1::text[], $2::bigint[]) as x(task, version) on e.task = x.task and e.version = x.version
where e.task = any($1::text[])`,
}
