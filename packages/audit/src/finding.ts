/**
 * What an audit may find, each kind with its words for people; programs read the finding, never the
 * words. Two families: a difference proves that something is not as it was written, an obstacle only
 * that it could not be judged. Every finding carries what was expected and what was found, shortened
 * if long; `version` is null if no single event is meant, and `task` if no task is.
 */
import type { AccountTotals } from "@safelight/core"
import { excerpt } from "./excerpt.ts"

export type Fact = string | number | null

export interface Facts {
  readonly expected: Fact
  readonly found: Fact
}

/** A value as a finding says it. */
export function toFact(value: unknown): Fact {
  if (typeof value === "number" || value === null) return value
  if (typeof value === "string") return excerpt(value)
  return value === undefined ? null : excerpt(JSON.stringify(value))
}

interface OfTask extends Facts {
  readonly task: string
  readonly version: number | null
}

interface OfField extends OfTask {
  /** A column, or `snapshot.<member>`; `version` is the first event after which both differ. */
  readonly field: string
}

interface OfAttempt extends OfTask {
  readonly attempt: number
}

/** About the kept totals of accounts, and so about no task. */
interface OfTotals extends Facts {
  readonly task: null
  readonly version: null
}

interface OfTotal extends OfTotals {
  readonly account: string
  readonly field: keyof AccountTotals
}

type Words<Shape> = Readonly<Record<string, (finding: Shape) => string>>
type Findings<Shape, Kinds> = Shape & { readonly kind: keyof Kinds }

const TASK_DIFFERENCES = {
  "version-gap": ({ expected, found }) => `version ${found} comes where ${expected} is due`,
  /** The stored hash is not that of the stored event behind the stored previous hash. */
  "hash-differs": ({ expected, found }) =>
    `the hash is ${found}, the stored text makes ${expected}`,
  "moment-falls": ({ expected, found }) =>
    `the moment ${found} is not a whole number of at least ${expected}`,
  "data-not-canonical": ({ expected, found }) =>
    `the data reads ${found}, its canonical text ${expected}`,
  /** The data is not JSON or does not fit its schema; or what is sealed is missing, or does not belong there. */
  "event-unreadable": ({ expected, found }) => `${found}, expected ${expected}`,
  /** The machine refuses the event in the state that the events before it led to. */
  "event-illegal": ({ expected, found }) => `${found} is not legal, the task is ${expected}`,
  "charge-differs": ({ expected, found }) =>
    `the charge is ${found}, usage and price make ${expected} (micro-units)`,
  /** The request that the file has is not the one that the log is committed to. */
  "commitment-differs": ({ expected, found }) =>
    `the request makes ${found}, the log is committed to ${expected}`,
  "definition-differs": ({ expected, found }) =>
    `the definition of its model has digest ${found}, the log says ${expected}`,
  "row-missing": ({ expected }) => `the task has ${expected} events and no row`,
  "row-orphaned": ({ found }) => `the task has a row at version ${found} and no events`,
  /** The row is exactly what the log made at an earlier version. */
  "row-behind": ({ expected, found }) => `the row is at version ${found}, the log at ${expected}`,
  "charge-row-missing": ({ expected }) =>
    `the charge of ${expected} micro-units has no item in the bill`,
  /** Of a task that used nothing, is not finished, or is not there. */
  "charge-row-orphaned": ({ found }) =>
    `the bill has an item of ${found} micro-units that the log does not make`,
  "ready-missing": () => "the task has not ended and is not in the queue, so nobody works on it",
  "ready-orphaned": () => "the task is in the queue, and the log has nothing to be done",
  "retention-missing": () =>
    "its inputs or artifacts are due to be removed one day, and retention never looks at it",
  "retention-orphaned": ({ found }) =>
    `retention looks at it at ${found}, and the log has not ended it`,
} satisfies Words<OfTask>

const FIELD_DIFFERENCES = {
  "row-differs": ({ expected, field, found }) =>
    `the row's ${field} is ${found}, the log makes ${expected}`,
  "charge-row-differs": ({ expected, field, found }) =>
    `the ${field} of its item in the bill is ${found}, the log makes ${expected}`,
  "ready-differs": ({ expected, field, found }) =>
    `the ${field} of its place in the queue is ${found}, the log makes ${expected}`,
} satisfies Words<OfField>

/** An attempt has an outcome if it ended its task, or was billed for nothing. */
const OUTCOME_DIFFERENCES = {
  "outcome-missing": ({ attempt }) => `the outcome of attempt ${attempt} has no row`,
  "outcome-orphaned": ({ attempt }) =>
    `attempt ${attempt} has a row of its outcome that the log does not make`,
} satisfies Words<OfAttempt>

const OUTCOME_FIELD_DIFFERENCES = {
  "outcome-differs": ({ attempt, expected, field, found }) =>
    `the ${field} of attempt ${attempt} is ${found}, the log makes ${expected}`,
} satisfies Words<OfAttempt & OfField>

const TOTAL_DIFFERENCES = {
  "totals-differ": ({ expected, field, found }) =>
    `the kept ${field} is ${found}, the rows add up to ${expected}`,
} satisfies Words<OfTotal>

/** Of what a file has beside its tasks. */
const FILE_DIFFERENCES = {
  "definition-altered": ({ expected, found }) =>
    `definition ${expected} has digest ${found}, or is not what it says`,
} satisfies Words<OfTotals>

const TASK_OBSTACLES = {
  /** Written by a newer release: its type or schema is not known here. */
  "event-unknown": ({ expected, found }) => `${found}, expected ${expected}`,
  "model-unknown": ({ expected }) =>
    `model ${expected} is not known here, so its charge can't be judged`,
  "definition-unknown": ({ expected }) => `the definition of its model, ${expected}, is not kept`,
  /** The price book lacks the table, the model in it, or the rate the model is billed by. */
  "price-unknown": ({ expected, found }) => `the charge ${found} can't be judged: ${expected}`,
  /** The total would be no safe integer; this charge is not in it. */
  "total-too-large": ({ expected, found }) =>
    `with a charge of ${found} the account's total would pass ${expected}`,
  /** The tasks after this one were not looked at. */
  "storage-failed": ({ found }) => `reading stopped behind it: ${found}`,
} satisfies Words<OfTask>

const TOTALS_OBSTACLES = {
  "totals-unread": ({ found }) => `the kept totals could not be read: ${found}`,
} satisfies Words<OfTotals>

export type Difference =
  | Findings<OfTask, typeof TASK_DIFFERENCES>
  | Findings<OfField, typeof FIELD_DIFFERENCES>
  | Findings<OfAttempt, typeof OUTCOME_DIFFERENCES>
  | Findings<OfAttempt & OfField, typeof OUTCOME_FIELD_DIFFERENCES>
  | Findings<OfTotal, typeof TOTAL_DIFFERENCES>
  | Findings<OfTotals, typeof FILE_DIFFERENCES>

export type Obstacle =
  | Findings<OfTask, typeof TASK_OBSTACLES>
  | Findings<OfTotals, typeof TOTALS_OBSTACLES>

export type Finding = Difference | Obstacle

const OBSTACLES = { ...TASK_OBSTACLES, ...TOTALS_OBSTACLES }

const WORDS = {
  ...TASK_DIFFERENCES,
  ...FIELD_DIFFERENCES,
  ...OUTCOME_DIFFERENCES,
  ...OUTCOME_FIELD_DIFFERENCES,
  ...TOTAL_DIFFERENCES,
  ...FILE_DIFFERENCES,
  ...OBSTACLES,
}

export function isObstacle(finding: Finding): finding is Obstacle {
  return Object.hasOwn(OBSTACLES, finding.kind)
}

/** A finding as one line for people. */
export function describeFinding(finding: Finding): string {
  // Each kind stands in the table of its own shape.
  const toWords = WORDS[finding.kind] as (finding: Finding) => string
  return `${toSubject(finding)}: ${toWords(finding)}`
}

function toSubject(finding: Finding): string {
  if (finding.kind === "definition-altered") return "the file"
  if (finding.kind === "totals-differ") return `account ${finding.account}`
  if (finding.task === null) return "all accounts"
  const { task, version } = finding
  return version === null ? `task ${task}` : `task ${task}, event ${version}`
}
