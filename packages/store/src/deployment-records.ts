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
  const recorded = parseOrigin(record)
  const standing = toStanding(recorded, origin)
  const deployment = { standing, revision, artifactsMark, adoptedAt }
  const hasMore = Object.keys(origin).some((part) => !Object.hasOwn(recorded, part))
  return standing === "original" && hasMore ? { ...deployment, hasMoreToRecord: true } : deployment
}

/**
 * Of `DeploymentStatements.record`. `record` is the one that is replaced: if another was recorded since,
 * the statement changes nothing. An adoption forgets the parts that can't be told, since they may be
 * those of the database that was copied.
 */
export function toDeploymentValues(
  request: DeploymentRecord,
  origin: DatabaseOrigin,
  record: DeploymentTable | undefined,
): SqlValues {
  const isKept = record !== undefined && record.adopted_at === request.adoptedAt
  const known = isKept ? parseOrigin(record) : {}
  return {
    id: 1,
    revision: request.revision + 1,
    origin: JSON.stringify({ ...known, ...origin }),
    artifacts_mark: request.artifactsMark,
    adopted_at: request.adoptedAt,
    replaced: request.revision,
  }
}

function parseOrigin({ origin }: DeploymentTable): DatabaseOrigin {
  return JSON.parse(origin) as DatabaseOrigin
}

function toStanding(recorded: DatabaseOrigin, origin: DatabaseOrigin): DatabaseStanding {
  const isOther = Object.entries(origin).some(
    ([part, value]) => Object.hasOwn(recorded, part) && recorded[part] !== value,
  )
  return isOther ? "copied" : "original"
}
