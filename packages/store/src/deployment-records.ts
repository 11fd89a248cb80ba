/**
 * Where SQL meets what core says of a deployment. An origin has parts, each by its name, and a part
 * that can't be told is left out: it is no difference, or a database whose surroundings tell less for
 * once would count as copied.
 */
import type { DatabaseStanding, Deployment, DeploymentRecord } from "@safelight/core"
import type { DeploymentTable } from "./database.ts"
import type { SqlValues } from "./statement.ts"

/** What identifies a database where it stands; a copy differs in a part that both have. */
export type DatabaseOrigin = Readonly<Record<string, string>>

const NEW: Deployment = { standing: "new", revision: 0, artifactsMark: null, adoptedAt: 0 }

export function fromDeploymentRecord(
  record: DeploymentTable | undefined,
  origin: DatabaseOrigin,
): Deployment {
  if (record === undefined) return NEW
  const { revision, artifacts_mark: artifactsMark, adopted_at: adoptedAt } = record
  return { standing: toStanding(record, origin), revision, artifactsMark, adoptedAt }
}

/** Of `DeploymentStatements.record`. */
export function toDeploymentValues(request: DeploymentRecord, origin: DatabaseOrigin): SqlValues {
  return {
    id: 1,
    revision: request.revision + 1,
    origin: JSON.stringify(origin),
    artifacts_mark: request.artifactsMark,
    adopted_at: request.adoptedAt,
    replaced: request.revision,
  }
}

function toStanding({ origin: text }: DeploymentTable, origin: DatabaseOrigin): DatabaseStanding {
  const recorded = JSON.parse(text) as DatabaseOrigin
  const isOther = Object.entries(origin).some(
    ([part, value]) => Object.hasOwn(recorded, part) && recorded[part] !== value,
  )
  return isOther ? "copied" : "original"
}
