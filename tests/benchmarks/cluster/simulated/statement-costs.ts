/**
 * What statements cost a real PostgreSQL server: its processor time, measured one kind after another by one caller,
 * over a database with as many accounts, feeds, leases and waiting tasks as the simulation has. What statements
 * cost each other is no part of it: locks, processes that take turns, rows that nobody has removed yet.
 */
import type { LeaseFacts, Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { submitSample } from "@safelight/testkit"
import { Client } from "pg"
import { createDatabase, type Database } from "../../postgres/database.ts"
import { readServerCpuMs } from "../server-cpu.ts"
import { addAccounts, toAccountName } from "./account-rows.ts"
import { NOTIFY, type Counts } from "./database-model.ts"

export interface CostOptions {
  readonly nodes: number
  readonly accounts: number
  readonly times: number
}

/** Milliseconds of the server's processor, by kind; `READ` and `WRITE` stand for the kinds that are not measured. */
export type Costs = Readonly<Record<string, number>>

const READ = "feeds.findFeed"
const WRITE = "write"
const APPENDED = "append, for each change"
const DELIVERY = "notify, for each that listens"
const FEED_ROW = "feeds.listFeeds, for each row"
const LEASE_ROW = "leases.listLeases, for each row"

const MODELS = ["vendor-a/v4.1/flash/text-to-image", "a-second/model", "a-third/model"]
const NOW = 1_767_225_600_000
/** Tasks in the queue that another node has the permits for. */
const WAITING = 30
/** Changes of the larger one of two batches. */
const MANY = 15

const FACTS: LeaseFacts = {
  channels: ["instant"],
  models: { instant: MODELS },
  leaseMs: 15_000,
  leftAlone: [],
  isAble: true,
  excess: {},
  membership: "f".repeat(64),
  round: 0,
}

export function toCostMs(counts: Counts, costs: Costs): number {
  const { [READ]: read = 0, [WRITE]: write = 0 } = costs
  let total = 0
  for (const [kind, { calls, rows, writes }] of counts) {
    const isNotify = kind.startsWith(NOTIFY)
    const each = costs[isNotify ? NOTIFY : kind] ?? read
    const perRow = costs[isNotify ? DELIVERY : `${kind}, for each row`] ?? 0
    const appended = kind === "append" ? rows * (costs[APPENDED] ?? 0) : 0
    total += (calls - writes) * each + writes * write + rows * perRow + appended
  }
  return total
}

export async function measureCosts(options: CostOptions): Promise<Costs> {
  await using database = await createDatabase("statement_costs")
  const storage = await createPostgresStorage({ url: database.url })
  const measure = await createMeasure(database, options.times)
  try {
    await addAccounts(storage, options.accounts, NOW)
    await Promise.all(
      Array.from({ length: WAITING }, (_, index) => addTask(storage, `wait-${index}`)),
    )
    return {
      ...(await measureLeases(storage, measure, options)),
      ...(await measureLooks(storage, measure, options)),
      ...(await measureAppends(storage, measure)),
      ...(await measureNotify(database, measure, options)),
    }
  } finally {
    await storage.close()
  }
}

/** In the queue; the first of 100 turns has no share of its account's pool. */
async function addTask(storage: Storage, name: string): Promise<void> {
  const endBy = NOW + 3_600_000
  const pool = { size: 5, number: 50 }
  const queue = { kind: "enqueue", dueAt: NOW, endBy, lease: null, startTag: 1, pool } as const
  const submitted = { account: toAccountName(7), endBy, model: MODELS[0] ?? "" }
  const { append } = submitSample({ id: name, now: NOW, submitted, queue })
  await storage.append(append)
}

type Measure = (call: () => Promise<unknown>) => Promise<number>

async function createMeasure(database: Database, times: number): Promise<Measure> {
  const row = await database.query("select pg_backend_pid() as pid")
  const backend = Number(row["pid"])
  const repeat = async (count: number, call: () => Promise<unknown>): Promise<void> => {
    // oxlint-disable-next-line no-await-in-loop -- one caller
    for (let made = 0; made < count; made += 1) await call()
  }
  return async (call) => {
    await repeat(times / 10, call)
    const before = await readServerCpuMs(backend)
    await repeat(times, call)
    return ((await readServerCpuMs(backend)) - before) / times
  }
}

/** A heartbeat's three statements count as its first. */
async function measureLeases(
  storage: Storage,
  measure: Measure,
  { nodes }: CostOptions,
): Promise<Costs> {
  let heartbeats = 0
  const beat = (lease: string): Promise<unknown> => {
    heartbeats += 1
    return storage.heartbeat({ lease, heartbeats, facts: FACTS })
  }
  const alone = await measure(() => beat("lease"))
  // oxlint-disable-next-line no-await-in-loop
  for (let node = 0; node < nodes; node += 1) await beat(`lease-${node}`)
  const among = await measure(() => beat("lease"))
  const each = Math.max(0, among - alone) / nodes
  const nothing = { "leases.findHeld": 0, "leases.listLeases": 0 }
  return { "leases.renew": alone, [LEASE_ROW]: each, ...nothing }
}

async function measureLooks(
  storage: Storage,
  measure: Measure,
  { accounts }: CostOptions,
): Promise<Costs> {
  const account = toAccountName(10)
  const turn = { index: 0, count: 100 }
  const asked = { models: MODELS, now: NOW + 1 }
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    peek: () => storage.peekQueue({ ...asked, most: 500 }),
    take: () => storage.take({ ...asked, lease: "l", limit: 20, permits: new Map(), turn }),
    "read.findHeads": () => storage.readTask("wait-1"),
    "accounts.findAccounts": () => storage.findAccount(account),
    "channels.listPaused": () => storage.listPausedChannels(),
    [READ]: () => storage.findFeed(account),
    "feeds.listFeeds": () => storage.listFeeds(),
    "webhooks.findDueWebhooks": () => storage.findDueWebhooks({ now: NOW, after: "", limit: 500 }),
    clock: async () => storage.readClock?.(),
    [WRITE]: () => storage.retain({ task: "wait-1", dueAt: NOW }),
  }
  const costs: Record<string, number> = {}
  // oxlint-disable-next-line no-await-in-loop -- one kind after another
  for (const [kind, call] of Object.entries(calls)) costs[kind] = await measure(call)
  const { [READ]: one = 0, "feeds.listFeeds": all = 0 } = costs
  const perRow = Math.max(0, all - one) / Math.max(1, accounts / 10)
  return { ...costs, "feeds.listFeeds": one, [FEED_ROW]: perRow }
}

/** By a line through what batches of two sizes cost. */
async function measureAppends(storage: Storage, measure: Measure): Promise<Costs> {
  let added = 0
  const add = (count: number) => async (): Promise<void> => {
    const names = Array.from({ length: count }, () => `append-${(added += 1)}`)
    await Promise.all(names.map((name) => addTask(storage, name)))
  }
  const one = await measure(add(1))
  const each = ((await measure(add(MANY))) - one) / (MANY - 1)
  return { append: one - each, [APPENDED]: each }
}

async function measureNotify(
  database: Database,
  measure: Measure,
  { nodes }: CostOptions,
): Promise<Costs> {
  await using clients = new AsyncDisposableStack()
  async function connect(): Promise<Client> {
    const client = new Client({ connectionString: database.url })
    clients.defer(() => client.end())
    await client.connect()
    return client
  }
  const sender = await connect()
  const send = (): Promise<unknown> =>
    sender.query("select pg_notify('safelight_queued', $1)", ["f".repeat(36)])
  const alone = await measure(send)
  // oxlint-disable-next-line no-await-in-loop
  for (let node = 0; node < nodes; node += 1)
    await (await connect()).query("listen safelight_queued")
  const each = Math.max(0, (await measure(send)) - alone) / nodes
  return { [NOTIFY]: alone, [DELIVERY]: each }
}
