/**
 * What an audit may find. Two families: a difference proves that something is not as it was
 * written, an obstacle only that it could not be judged. Every finding carries what was expected
 * and what was found, shortened where long; `version` is null where no single event is meant, and
 * `task` where no task is.
 */
import type { AccountTotals } from "@safelight/core"

export type Fact = string | number | null

export interface Facts {
  readonly expected: Fact
  readonly found: Fact
}

interface Place extends Facts {
  readonly task: string
  readonly version: number | null
}

interface FieldPlace extends Place {
  /** A column, or `snapshot.<member>`; `version` is the first event after which both differ. */
  readonly field: string
}

interface ArtifactPlace extends Place {
  readonly key: string
}

interface AttemptPlace extends Place {
  readonly attempt: number
}

/** What is kept of an account as a whole, and so belongs to no task. */
interface TotalsPlace extends Facts {
  readonly task: null
  readonly version: null
}

export type Difference =
  /** The stored version does not follow the one before it. */
  | (Place & { readonly kind: "version-gap" })
  /** The stored hash is not that of the stored event behind the stored previous hash. */
  | (Place & { readonly kind: "hash-differs" })
  /** The moment is no whole number of milliseconds, or earlier than the one before. */
  | (Place & { readonly kind: "moment-falls" })
  /** The data is JSON, but not its canonical text. */
  | (Place & { readonly kind: "data-not-canonical" })
  /** The data is not JSON or does not fit its schema. */
  | (Place & { readonly kind: "event-unreadable" })
  /** The machine refuses the event in the state that the events before it led to. */
  | (Place & { readonly kind: "event-illegal" })
  /** The charge in the log is not what usage, price version and model make. */
  | (Place & { readonly kind: "charge-differs" })
  /** A task with events has no row. */
  | (Place & { readonly kind: "row-missing" })
  /** A task's row has no events. */
  | (Place & { readonly kind: "row-orphaned" })
  /** The row is exactly what the log made at an earlier version. */
  | (Place & { readonly kind: "row-behind" })
  | (FieldPlace & { readonly kind: "row-differs" })
  /** The log's manifest names an artifact that has no row. */
  | (ArtifactPlace & { readonly kind: "artifact-missing" })
  /** An artifact's row that no manifest names. */
  | (ArtifactPlace & { readonly kind: "artifact-orphaned" })
  | (ArtifactPlace & FieldPlace & { readonly kind: "artifact-differs" })
  /** A finished task that used something has no line in the bill. */
  | (Place & { readonly kind: "charge-row-missing" })
  /** A line of the bill for a task that used nothing, or is not finished, or is not there. */
  | (Place & { readonly kind: "charge-row-orphaned" })
  | (FieldPlace & { readonly kind: "charge-row-differs" })
  /** An attempt that ended its task, or was billed for nothing, has no row; or one that did neither. */
  | (AttemptPlace & { readonly kind: "outcome-missing" })
  | (AttemptPlace & { readonly kind: "outcome-orphaned" })
  | (AttemptPlace & FieldPlace & { readonly kind: "outcome-differs" })
  /** An account's kept totals are not what its rows add up to. */
  | (TotalsPlace & {
      readonly kind: "totals-differ"
      readonly account: string
      readonly field: keyof AccountTotals
    })

export type Obstacle =
  /** Written by a newer release: its type or schema is not known here. */
  | (Place & { readonly kind: "event-unknown" })
  | (Place & { readonly kind: "model-unknown" })
  /** The price book lacks the table, the model in it, or the rate the model is billed by. */
  | (Place & { readonly kind: "price-unknown" })
  /** An account's total leaves the integers that a number holds; this charge is not in it. */
  | (Place & { readonly kind: "total-too-large" })
  /** Reading stopped after `task`; what comes behind it was not looked at. */
  | (Place & { readonly kind: "storage-failed" })
  /** The kept totals could not be read. */
  | (TotalsPlace & { readonly kind: "totals-unread" })

export type Finding = Difference | Obstacle

const OBSTACLES: Readonly<Record<Obstacle["kind"], true>> = {
  "event-unknown": true,
  "model-unknown": true,
  "price-unknown": true,
  "total-too-large": true,
  "storage-failed": true,
  "totals-unread": true,
}

export function isObstacle(finding: Finding): finding is Obstacle {
  return Object.hasOwn(OBSTACLES, finding.kind)
}
