/**
 * Every table, described once: its columns are the members of core's row, in snake_case. A column that is
 * missing here, or that the row does not have, is a compile error, and so is a value of another type. As in
 * core, moments are milliseconds since the Unix epoch, and money is in integer micro-units.
 */
import type {
  Definition,
  Account,
  AccountTotals,
  Append,
  ArchiveSegment,
  ChargeRow,
  Delivery,
  Feed,
  FeedEntry,
  HeartbeatRequest,
  IdempotencyUse,
  Input,
  LinkKey,
  OperatorChange,
  Transfer,
  OutcomeRow,
  PausedChannel,
  QueueChange,
  RateName,
  StoredEvent,
  StoredKey,
  TaskRow,
  WebhookEndpoint,
} from "@safelight/core"
import { boolean, compact, describe, integer, json, nullable, text, type Table } from "./columns.ts"
import { SUM_TABLES } from "./sum-tables.ts"
import { TREE_TABLES } from "./tree-tables.ts"

/** A task's row: in every table the column that names a task is `task`. */
export interface StoredTaskRow extends Omit<TaskRow, "id"> {
  readonly task: string
}

/** The uses of keys for tasks; a row may be deleted at any time. */
export interface IdempotencyRow extends IdempotencyUse {
  readonly account: string
  readonly task: string
}

/** One label of a task, with what the list of tasks goes by. */
export interface LabelRow {
  readonly account: string
  /** `key=value`. */
  readonly label: string
  /** Of the task. */
  readonly createdAt: number
  readonly task: string
}

/** Unfinished tasks: small and hot. */
export interface ReadyRow {
  readonly task: string
  readonly account: string
  readonly model: string
  readonly dueAt: number
  readonly endBy: number
  /** Null while any process may take the task. */
  readonly lease: string | null
  /** A new task's; null for a due task. */
  readonly startTag: number | null
  /** Null without a pool. */
  readonly poolNumber: number | null
  readonly poolSize: number | null
}

/** Identifies a database where it runs; a copy differs in a part that both have. */
export type DatabaseOrigin = Readonly<Record<string, string>>

/** Where the database ran, and which artifacts are its own; at most one row, `id` 1. */
export interface DeploymentRow {
  readonly id: number
  readonly revision: number
  readonly origin: DatabaseOrigin
  readonly artifactsMark: string | null
  /** 0: never. */
  readonly adoptedAt: number
}

/** One that was begun has no place yet. */
export interface ArchiveSegmentRow extends Omit<ArchiveSegment, "locator" | "sha256"> {
  readonly locator: string | null
  readonly sha256: string | null
}

export const TABLES = {
  /** The log: append-only, a trigger refuses everything else. */
  events: describe<StoredEvent>({
    task: compact(),
    version: integer(),
    at: integer(),
    data: text(),
    hash: compact(),
    schema: integer(),
    sealed: nullable(text()),
    type: text(),
  }),
  /** What a person or a provider wrote; a row may be deleted at any time. */
  inputs: describe<Input>({ task: compact(), name: text(), salt: text(), body: text() }),
  /** What accounts wrote on tasks; a row may be deleted at any time. */
  labels: describe<LabelRow>({
    account: text(),
    label: text(),
    createdAt: integer(),
    task: compact(),
  }),
  /** The fold at `version`. */
  tasks: describe<StoredTaskRow>({
    task: compact(),
    account: text(),
    createdAt: integer(),
    finishedAt: integer(),
    hash: compact(),
    model: text(),
    reservationMicros: integer(),
    snapshot: text(),
    status: text(),
    version: integer(),
  }),
  /** The bill: one row for each finished task that used something. */
  charges: describe<ChargeRow>({
    task: compact(),
    account: text(),
    at: integer(),
    billedInputMs: integer(),
    characters: integer(),
    chargeMicros: integer(),
    images: integer(),
    model: text(),
    outputAudioMs: integer(),
    outputVideoMs: integer(),
    priceVersion: text(),
    tokens: integer(),
  }),
  /** Files that hold the events of archived tasks. */
  archiveSegments: describe<ArchiveSegmentRow>({
    id: integer(),
    at: integer(),
    bytes: integer(),
    eventCount: integer(),
    locator: nullable(text()),
    sha256: nullable(compact()),
    taskCount: integer(),
  }),
  outcomes: describe<OutcomeRow>({
    task: compact(),
    attempt: integer(),
    at: integer(),
    channel: text(),
    chargeMicros: integer(),
    costMicros: integer(),
    costSource: text(),
    dispatchedAt: integer(),
    model: text(),
    outcome: text(),
  }),
  ready: describe<ReadyRow>({
    task: compact(),
    account: text(),
    model: text(),
    dueAt: integer(),
    endBy: integer(),
    lease: nullable(compact()),
    startTag: nullable(integer()),
    poolNumber: nullable(integer()),
    poolSize: nullable(integer()),
  }),
  /** Registered worker leases, and the number of heartbeats of each. */
  leases: describe<HeartbeatRequest>({ lease: compact(), heartbeats: integer(), facts: json() }),
  /** Finished tasks that retention must visit again. */
  retention: describe<{ readonly task: string; readonly dueAt: number }>({
    task: compact(),
    dueAt: integer(),
  }),
  idempotency: describe<IdempotencyRow>({
    account: text(),
    key: text(),
    fingerprint: compact(),
    task: compact(),
    usedAt: integer(),
  }),
  accounts: describe<Account & { readonly linkEpoch: number }>({
    id: text(),
    createdAt: integer(),
    budgetMicros: nullable(integer()),
    linkEpoch: integer(),
    rates: json(),
    retentionMs: nullable(integer()),
    maxRetentionMs: integer(),
    signsContentUrls: boolean(),
    suspendedAt: integer(),
    unfinishedTasks: nullable(integer()),
    runningTasks: nullable(integer()),
    weight: integer(),
  }),
  /** Of accounts with a limit of their own, and of no others. */
  accountTotals: describe<AccountTotals & { readonly account: string }>({
    account: text(),
    chargedMicros: integer(),
    reservedMicros: integer(),
    unfinishedTasks: integer(),
  }),
  keys: describe<StoredKey>({
    id: text(),
    account: text(),
    createdAt: integer(),
    expiresAt: integer(),
    revokedAt: integer(),
    scopes: json(),
    secretSha256: text(),
  }),
  /** `moment` is in microseconds since the Unix epoch. */
  rates: describe<RateName & { readonly moment: number }>({
    account: text(),
    policy: text(),
    moment: integer(),
  }),
  /** The highest rank signs: keys may be made at one moment, or while a clock goes back. */
  linkKeys: describe<LinkKey & { readonly rank: number }>({
    id: text(),
    createdAt: integer(),
    rank: integer(),
    secret: text(),
  }),
  /** Of artifacts whose links were revoked. */
  linkEpochs: describe<{ readonly task: string; readonly key: string; readonly epoch: number }>({
    task: compact(),
    key: text(),
    epoch: integer(),
  }),
  /** Of most databases empty: a seal, and imports. */
  transfers: describe<Transfer>({ id: text(), at: integer(), state: text() }),
  deployment: describe<DeploymentRow>({
    id: integer(),
    revision: integer(),
    origin: json(),
    artifactsMark: nullable(text()),
    adoptedAt: integer(),
  }),
  /** One row: the secret, and the `adoptedAt` that it was made under; 0: before any adoption. */
  deploymentSecrets: describe<{ readonly adoptedAt: number; readonly secret: string }>({
    adoptedAt: integer(),
    secret: text(),
  }),
  /** Of models of files and of prices: append-only, a trigger refuses everything else. */
  definitions: describe<Definition>({ digest: text(), body: text(), kind: text() }),
  /** One row, `id` 1: by which moment things were last removed for their age. */
  judgedMoments: describe<{ readonly id: number; readonly at: number }>({
    id: integer(),
    at: integer(),
  }),
  ...SUM_TABLES,
  ...TREE_TABLES,
  /** Of accounts that are watched, and of no others. */
  feeds: describe<Feed>({
    account: text(),
    id: text(),
    keptUntil: integer(),
    position: integer(),
    spreadTo: integer(),
  }),
  feedEntries: describe<FeedEntry>({
    account: text(),
    position: integer(),
    at: integer(),
    task: compact(),
    type: text(),
    version: integer(),
  }),
  /** What operators changed: append-only, a trigger refuses everything else. */
  operatorChanges: describe<OperatorChange>({
    id: text(),
    account: nullable(text()),
    at: integer(),
    change: text(),
    changedBy: text(),
    details: json(),
    target: text(),
  }),
  /** The channels that get nothing new. */
  pausedChannels: describe<PausedChannel>({ channel: text(), pausedAt: integer() }),
  webhookEndpoints: describe<WebhookEndpoint>({
    id: text(),
    account: text(),
    createdAt: integer(),
    description: text(),
    disabledAt: integer(),
    disabledReason: nullable(text()),
    failingSince: integer(),
    provenAt: integer(),
    revision: integer(),
    secrets: json(),
    types: json(),
    url: text(),
  }),
  /** `dueAt` of one that is being tried: when others may try it. */
  webhookDeliveries: describe<Delivery>({
    endpoint: text(),
    message: text(),
    createdAt: integer(),
    dueAt: integer(),
    history: json(),
    payload: text(),
    sequence: integer(),
    state: text(),
    subject: compact(),
    tries: integer(),
    type: text(),
  }),
}

type Tables = typeof TABLES
export type TableName = keyof Tables

/** The tables as Kysely sees them. */
export type StoreDatabase = {
  readonly [Name in TableName]: Tables[Name] extends Table<infer Row> ? Row : never
}

export function toStoredTaskRow(row: TaskRow): StoredTaskRow {
  return { ...row, task: row.id }
}

export function toReadyRow(
  { changes: { task }, task: id }: Append,
  { dueAt, endBy, lease, pool, startTag }: QueueChange & { kind: "enqueue" },
): ReadyRow {
  const { account, model } = task
  const { number: poolNumber = null, size: poolSize = null } = pool ?? {}
  return { task: id, account, model, dueAt, endBy, lease, startTag, poolNumber, poolSize }
}

/** All columns of a table, each as `row` has it. */
export function allOf<Row>({ members }: Table<Row>, row: Row): Row {
  return Object.fromEntries(members.map((member) => [member, row[member]])) as Row
}

/** The name of a member, or of a table, in SQL. */
export function toSqlName(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
