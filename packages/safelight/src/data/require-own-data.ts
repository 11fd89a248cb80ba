/**
 * Refuses to start on a database that is a copy, or with artifacts that are not its own, in one line that says
 * which and what to do. By `--adopt` an operator decides that this database continues.
 */
import {
  SafelightError,
  type ArtifactStorage,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import { checkDeployment, type DeploymentRefusal } from "@safelight/engine"

export interface OwnDataOptions {
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly adopt: boolean
  readonly clock: Clock
  readonly log: Log
}

const WORDS = {
  "database-copied":
    "this database is a copy or a restored backup: the original may be running its unfinished tasks, which would be paid for twice; `serve --adopt` says that this one goes on",
  "artifacts-unmarked":
    "the place for artifacts is not the one that this database was started with: --artifacts names that one, `serve --adopt` says that this place takes over",
  "artifacts-of-another":
    "the place for artifacts belongs to another database, or to another of its nodes: --artifacts names the one that all nodes of this database share, `serve --adopt` says that this place takes over",
} as const satisfies Record<DeploymentRefusal, string>

/** Rejects with `invalid-configuration`. */
export async function requireOwnData(options: OwnDataOptions): Promise<void> {
  const check = await checkDeployment(options)
  if (check.kind !== "refused") return
  const message = check.refusals.map((refusal) => WORDS[refusal]).join("; and ")
  throw new SafelightError({ code: "invalid-configuration", message })
}
