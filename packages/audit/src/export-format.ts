/**
 * The file that carries a log from one database to another: NDJSON, one record a line, each with
 * its `kind`. Its manifest is the first line and the last: what the file is, and how much of what
 * stood between, with the SHA-256 of every byte before the last line. So a cut or altered file is
 * recognised without a database.
 *
 *   header  account*  key*  link-key*  checkpoint?  stream*  definition*  trailer
 *
 * Accounts and streams stand in the order of their ids' bytes, keys and link keys oldest first. Definitions are those
 * that the streams name. The
 * message of each schema says what a member must be: `"account.id" is not …`.
 */
import {
  API_KEY_SCOPES,
  findLabelFault,
  isAccountName,
  isTaskId,
  SafelightError,
} from "@safelight/core"
import * as v from "valibot"

export const FORMAT = "safelight-export"

/** A reader refuses a later one; a release reads a new version before a later one writes it. */
export const VERSION = 1

/** Four times the largest request that a service takes, and still a text that Node can hold. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024

const text = v.string("a text")

/** What people read in a list, and what every database can store. */
const name = v.pipe(text, v.check(isAccountName, "1 to 200 printable characters"))

/** A text that PostgreSQL can store: canonical JSON escapes U+0000. */
const storable = v.pipe(
  text,
  v.check(
    (value) => !value.includes("\u0000") && value.isWellFormed(),
    "a text without U+0000 and lone surrogates",
  ),
)

const sha256 = v.pipe(text, v.regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits"))
const flag = v.boolean("true or false")

function integer(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const expected = `a whole number from ${least}`
  return v.pipe(
    v.number(expected),
    v.safeInteger(expected),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  )
}

const count = integer(0)

/** A member that is not named here is refused: what this release does not know must not get lost. */
function object<const Entries extends v.ObjectEntries>(entries: Entries) {
  // An issue that has a path by now is about a member that is missing, or not known.
  return v.strictObject(entries, ({ expected, path }) => {
    if (path === undefined) return "an object"
    return expected === "never" ? "an object of known members alone" : "there"
  })
}

function list<const Item extends v.GenericSchema>(item: Item) {
  return v.array(item, "a list")
}

const rate = v.nullable(object({ requests: integer(1), windowMs: integer(1) }))

const header = object({
  kind: v.literal("header"),
  format: v.literal(FORMAT, FORMAT),
  version: v.pipe(
    integer(1),
    v.maxValue(VERSION, `${VERSION}, which this release reads: use a newer one`),
  ),
  createdAt: count,
  /** Whether the source changes no more: only then may unfinished tasks continue elsewhere. */
  isSealed: flag,
  /** Of a file for auditors that holds some tasks alone: which. */
  selection: v.exactOptional(
    object({
      account: v.exactOptional(name),
      /** Submitted at this moment or later. */
      from: v.exactOptional(count),
      /** Submitted before this moment. */
      to: v.exactOptional(count),
    }),
  ),
})

/** Of a file for auditors: it holds the events that the signed tree has, and no others. */
const checkpoint = object({ kind: v.literal("checkpoint"), note: text })

const account = object({
  kind: v.literal("account"),
  account: object({
    id: name,
    createdAt: count,
    budgetMicros: v.nullable(count),
    rates: object({ create: rate, read: rate, content: rate }),
    retentionMs: v.nullable(count),
    maxRetentionMs: count,
    signsContentUrls: flag,
    suspendedAt: count,
    unfinishedTasks: v.nullable(count),
    runningTasks: v.nullable(count),
    weight: integer(1, 1_000),
  }),
  /** How often all its links were revoked. */
  linkEpoch: count,
})

const key = object({
  kind: v.literal("key"),
  key: object({
    id: name,
    account: name,
    secretSha256: sha256,
    scopes: list(v.picklist(API_KEY_SCOPES, "a scope that this release knows")),
    createdAt: count,
    revokedAt: count,
    expiresAt: count,
  }),
})

/** Holds the secret that signs private links. */
const linkKey = object({
  kind: v.literal("link-key"),
  linkKey: object({ id: name, secret: sha256, createdAt: count }),
})

const label = object({ key: text, value: text })
const labels = v.pipe(list(label), v.check(areLabels, "labels as a task may have them"))

function areLabels(given: v.InferOutput<typeof label>[]): boolean {
  const found = Object.fromEntries(given.map((each) => [each.key, each.value]))
  return Object.keys(found).length === given.length && findLabelFault(found) === undefined
}

const stream = object({
  kind: v.literal("stream"),
  /** As the engine names tasks: nothing in it needs to be quoted anywhere. */
  task: v.pipe(text, v.check(isTaskId, "a UUID in lower case")),
  /** In order; whether they are what was written is for the chain to say. */
  events: list(
    object({
      at: count,
      data: text,
      hash: sha256,
      schema: integer(1),
      /** Absent if nothing is sealed, and in a file of an earlier release. */
      sealed: v.exactOptional(text),
      type: text,
      version: integer(1),
    }),
  ),
  /** None once erased. */
  inputs: list(object({ name, salt: storable, body: storable })),
  /** None once erased. */
  labels,
  idempotency: list(object({ key: storable, fingerprint: storable, usedAt: count })),
  linkEpochs: list(object({ key: name, epoch: integer(1) })),
  /** Behind a checkpoint: of each event its leaf in the signed tree, from 0. */
  leaves: v.exactOptional(list(count)),
  /** In a selection: of each leaf its inclusion proof, hashes in base64 from the leaf's neighbour up. */
  proofs: v.exactOptional(list(list(text))),
})

/** What a task was accepted under: a price, or a model of a file. */
const definition = object({
  kind: v.literal("definition"),
  definition: object({
    kind: v.picklist(["model", "price"], "a kind of definition that this release knows"),
    digest: sha256,
    body: storable,
  }),
})

/** What stands between header and trailer. */
const counts = {
  accounts: count,
  keys: count,
  linkKeys: count,
  streams: count,
  events: count,
  inputs: count,
  /** Absent for none, as in a file of an earlier release. */
  definitions: v.exactOptional(count),
}

const trailer = object({
  kind: v.literal("trailer"),
  ...counts,
  /** Of every byte before this line. */
  sha256,
})

export const exportRecord = v.variant(
  "kind",
  [header, account, key, linkKey, checkpoint, stream, definition, trailer],
  ({ path }) => (path === undefined ? "an object" : "a kind of record that this release knows"),
)

type Sealed<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Sealed<Value[Key]> }
  : Value

export type ExportRecord = Sealed<v.InferOutput<typeof exportRecord>>
export type RecordOf<Kind extends ExportRecord["kind"]> = Extract<ExportRecord, { kind: Kind }>
export type BodyRecord = Exclude<ExportRecord, { kind: "header" | "trailer" }>
export type ExportCounts = Pick<RecordOf<"trailer">, keyof typeof counts>

export const NO_COUNTS: ExportCounts = {
  accounts: 0,
  keys: 0,
  linkKeys: 0,
  streams: 0,
  events: 0,
  inputs: 0,
}

const COUNTED = {
  account: "accounts",
  key: "keys",
  "link-key": "linkKeys",
  stream: "streams",
} as const

/** `counts` with one more record. */
export function countRecord(before: ExportCounts, record: BodyRecord): ExportCounts {
  if (record.kind === "checkpoint") return before
  if (record.kind === "definition") {
    return { ...before, definitions: (before.definitions ?? 0) + 1 }
  }
  const counted = COUNTED[record.kind]
  const after = { ...before, [counted]: before[counted] + 1 }
  if (record.kind !== "stream") return after
  const { events, inputs } = record
  return { ...after, events: after.events + events.length, inputs: after.inputs + inputs.length }
}

/** The error of an export that can't be imported. */
export function refused(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "export-refused", message, cause })
}
