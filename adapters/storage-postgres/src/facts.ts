/** What a batch is judged by, looked up within the transaction that commits it. */
import {
  toNewestEvent,
  type Facts,
  type Head,
  type LogChange,
  type RawRows,
} from "@safelight/store"
import { toBigintArray, toTextArray } from "./binary-array.ts"
import type { NamedQuery } from "./named-query.ts"

/** `asksHeld`: whether to lock the tasks as well, passing over those that somebody else holds. */
export async function findFacts(
  changes: readonly LogChange[],
  run: (query: NamedQuery) => Promise<RawRows>,
  asksHeld: boolean,
): Promise<Facts> {
  const accounts = [...new Set(changes.map(({ append }) => append.changes.task.account))]
  const tasks = changes.map(({ append }) => append.task)
  const newest = changes.map(({ append }) => toNewestEvent(append))
  const used = changes.filter(({ use }) => use !== undefined)
  const ofAccounts = toTextArray(accounts)
  // Sent together: the server answers one behind the other, so the second sees what the first locked.
  const [, rooms, uses, heads, stored, locked] = await Promise.all([
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
      ...FIND_STORED,
      values: [toTextArray(tasks), toBigintArray(newest.map(({ version }) => version))],
    }),
    asksHeld ? run({ ...LOCK_TASKS, values: [toTextArray(tasks)] }) : undefined,
  ])
  return {
    rooms: (rooms as readonly RoomRow[]).map(toRoom),
    uses: (uses as readonly UseRow[]).map(toUse),
    heads: (heads as readonly HeadRow[]).map(toHead),
    stored: (stored as readonly HeadRow[]).map(toHead),
    locked: locked?.map(([task]) => String(task)),
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
type HeadRow = readonly [task: string, hash: string]

function toRoom(row: RoomRow): Facts["rooms"][number] {
  const [account, budgetMicros, mostTasks, spentMicros, unfinishedTasks] = row
  return { account, budgetMicros, mostTasks, spentMicros, unfinishedTasks }
}

function toUse([account, key, task, fingerprint]: UseRow): Facts["uses"][number] {
  return { account, key, task, fingerprint }
}

function toHead([task, hash]: HeadRow): Head {
  return { task, hash }
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

const FIND_STORED = {
  name: "judge find stored",
  text: `select e.task, e.hash from events as e
join unnest($1::text[], $2::bigint[]) as x(task, version) on e.task = x.task and e.version = x.version
where e.task = any($1::text[])`,
}

const LOCK_TASKS = {
  name: "judge lock tasks",
  text: `select id from tasks where id = any($1::text[]) order by id for update skip locked`,
}
