/**
 * The facts by which a batch is judged, read within the transaction that commits it. Each look-up names its
 * rows by an array, so that an index is used whatever the planner assumes of a table.
 */
import {
  ownStatement,
  readStep,
  toNewestEvent,
  toRows,
  toStep,
  type Facts,
  type Head,
  type LogChange,
  type Statement,
} from "@safelight/store"
import { toBigintArray, toCompactArray, toTextArray } from "./binary-array.ts"
import type { PostgresConnection } from "./connection.ts"
import { POSTGRES_DIALECT } from "./dialect.ts"

/** `locksTasks`: whether to lock the tasks as well, skipping those that another session locks. */
export async function findFacts(
  changes: readonly LogChange[],
  connection: PostgresConnection,
  locksTasks: boolean,
): Promise<Facts> {
  const read = async <Row, Values>(statement: Statement<Row, Values>, values: NoInfer<Values>) =>
    toRows(statement, await readStep(connection, toStep(statement, values)))
  const ofAccounts = {
    accounts: toTextArray([...new Set(changes.map(({ append }) => append.changes.task.account))]),
  }
  const ofTasks = { tasks: toCompactArray(changes.map(({ append }) => append.task)) }
  const versions = changes.map(({ append }) => toNewestEvent(append).version)
  const used = changes.filter(({ use }) => use !== undefined)
  const ofUses = {
    accounts: toTextArray(used.map(({ append }) => append.changes.task.account)),
    keys: toTextArray(used.map(({ use }) => use?.key ?? "")),
  }
  // Sent together: the server answers one behind the other, so the second sees what the first locked.
  const [, rooms, uses, heads, stored, locked] = await Promise.all([
    read(LOCK_TOTALS, ofAccounts),
    read(FIND_ROOMS, ofAccounts),
    read(FIND_USES, ofUses),
    read(FIND_HEADS, ofTasks),
    read(FIND_STORED, { ...ofTasks, versions: toBigintArray(versions) }),
    locksTasks ? read(LOCK_TASKS, ofTasks) : undefined,
  ])
  return { rooms, uses, heads, stored, locked: locked?.map(({ task }) => task) }
}

interface OfAccounts {
  readonly accounts: Buffer
}

interface OfTasks {
  readonly tasks: Buffer
}

const LOCK_TOTALS = ownStatement<{ readonly account: string }, OfAccounts>(
  "select account from account_totals where account = any($1::text[]) order by account for update",
  ["accounts"],
  ["account"],
)

const FIND_ROOMS = ownStatement<Facts["rooms"][number], OfAccounts>(
  `select a.id, a.budget_micros, a.unfinished_tasks,
  t.charged_micros + t.reserved_micros, t.unfinished_tasks
from accounts as a
left join account_totals as t on t.account = any($1::text[]) and t.account = a.id
where a.id = any($1::text[]) and (a.budget_micros is not null or a.unfinished_tasks is not null)`,
  ["accounts"],
  ["account", "budgetMicros", "mostTasks", "spentMicros", "unfinishedTasks"],
)

const FIND_USES = ownStatement<Facts["uses"][number], OfAccounts & { readonly keys: Buffer }>(
  `select u.account, u.key, u.task, u.fingerprint
from idempotency as u join unnest($1::text[], $2::text[]) as x(account, key)
on u.account = x.account and u.key = x.key
where u.account = any($1::text[]) and u.key = any($2::text[])`,
  ["accounts", "keys"],
  ["account", "key", "task", "fingerprint"],
  POSTGRES_DIALECT,
)

const FIND_HEADS = ownStatement<Head, OfTasks>(
  "select task, hash from tasks where task = any($1::bytea[])",
  ["tasks"],
  ["task", "hash"],
  POSTGRES_DIALECT,
)

const FIND_STORED = ownStatement<Head, OfTasks & { readonly versions: Buffer }>(
  `select e.task, e.hash from events as e
join unnest($1::bytea[], $2::bigint[]) as x(task, version) on e.task = x.task and e.version = x.version
where e.task = any($1::bytea[])`,
  ["tasks", "versions"],
  ["task", "hash"],
  POSTGRES_DIALECT,
)

const LOCK_TASKS = ownStatement<{ readonly task: string }, OfTasks>(
  "select task from tasks where task = any($1::bytea[]) order by task for update skip locked",
  ["tasks"],
  ["task"],
  POSTGRES_DIALECT,
)
