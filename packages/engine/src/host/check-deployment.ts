/**
 * Tells whether a database is the original and the artifacts its own, before anything works with
 * them. A copy would run the original's unfinished tasks once more and remove artifacts that the
 * original has made since; with another place of artifacts, what is there looks lost. The first check
 * records what it finds, and a later one what is known only then. What differs later is refused
 * until an operator adopts it.
 */
import {
  SILENT_LOG,
  type ArtifactStorage,
  type Clock,
  type Deployment,
  type DeploymentStorage,
  type Log,
  type Storage,
} from "@safelight/core"
import { createIdentifiers, systemRandomness, type Randomness } from "./identifiers.ts"
import { systemClock } from "./system-clock.ts"

export interface DeploymentCheckOptions {
  readonly storage: DeploymentStorage & Pick<Storage, "readClock">
  /** One without marks is taken for the right one. */
  readonly artifacts: Pick<ArtifactStorage, "mark">
  /**
   * Records what differs in place of refusing it, and the moment: for a while nothing of the tasks
   * from before is removed. For a restore into the same database too, which shows in nothing.
   */
  readonly adopt?: boolean
  readonly clock?: Clock
  readonly randomness?: Randomness
  readonly log?: Log
}

export type DeploymentRefusal =
  /** The database was copied, or restored, from another. */
  | "database-copied"
  /** The place of artifacts has no mark, the database has one. */
  | "artifacts-unmarked"
  /** The place of artifacts has another mark than the database. */
  | "artifacts-of-another"

export type DeploymentCheck =
  | { readonly kind: "own" }
  /** What would have been refused, if anything. */
  | { readonly kind: "adopted"; readonly refusals: readonly DeploymentRefusal[] }
  /** Neither the database nor the artifacts may be worked with; at least one reason. */
  | { readonly kind: "refused"; readonly refusals: readonly DeploymentRefusal[] }

/**
 * Safe to call by many processes at once. Where it refuses it has changed nothing. Rejects with
 * `storage-unavailable` or `artifacts-unavailable` where one does not answer.
 */
export async function checkDeployment(options: DeploymentCheckOptions): Promise<DeploymentCheck> {
  const { adopt = false, artifacts, storage } = options
  const found = await storage.readDeployment()
  const mark = await artifacts.mark?.()
  const refusals = findRefusals(found, mark, artifacts.mark !== undefined)
  if (refusals.length > 0 && !adopt) return { kind: "refused", refusals }
  // Only now: a refused database leaves the place as it was.
  const proposed = createIdentifiers(options.randomness ?? systemRandomness).createSalt()
  const artifactsMark = mark ?? (await artifacts.mark?.(proposed)) ?? found.artifactsMark
  if (!adopt && isRecorded(found, artifactsMark)) return { kind: "own" }
  return record(options, { ...found, artifactsMark }, refusals)
}

function isRecorded(found: Deployment, artifactsMark: string | null): boolean {
  const { standing, hasMoreToRecord = false } = found
  return standing === "original" && !hasMoreToRecord && found.artifactsMark === artifactsMark
}

async function record(
  options: DeploymentCheckOptions,
  { revision, artifactsMark, adoptedAt: before }: Deployment,
  refusals: readonly DeploymentRefusal[],
): Promise<DeploymentCheck> {
  const { adopt = false, clock = systemClock, log = SILENT_LOG, storage } = options
  // The same clock that dates tasks: those from before are recognised by it.
  const adoptedAt = adopt ? ((await storage.readClock?.()) ?? clock.now()) : before
  const isDone = await storage.recordDeployment({ revision, artifactsMark, adoptedAt })
  // Another process was quicker: what it recorded is what counts, also against an adoption.
  if (!isDone) return checkDeployment({ ...options, adopt: false })
  if (!adopt) return { kind: "own" }
  log.warn({ refusals, adoptedAt }, "database adopted")
  return { kind: "adopted", refusals }
}

function findRefusals(
  { artifactsMark, standing }: Deployment,
  mark: string | undefined,
  canMark: boolean,
): readonly DeploymentRefusal[] {
  const refusals: DeploymentRefusal[] = []
  if (standing === "copied") refusals.push("database-copied")
  if (!canMark || artifactsMark === null || artifactsMark === mark) return refusals
  refusals.push(mark === undefined ? "artifacts-unmarked" : "artifacts-of-another")
  return refusals
}
