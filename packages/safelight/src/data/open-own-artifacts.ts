/** The artifacts of a database that a command changes: it is no copy, and the artifacts are its own. */
import { SILENT_LOG, type Storage } from "@safelight/core"
import { systemClock } from "@safelight/engine"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { openArtifacts, type ServedArtifacts } from "./open-places.ts"
import { requireOwnData } from "./require-own-data.ts"

/** Rejects with `invalid-configuration` if they are not, and as the storages do. */
export async function openOwnArtifacts(
  storage: Storage,
  configuration: ReadConfiguration,
): Promise<ServedArtifacts> {
  const options = { configuration, log: SILENT_LOG, clock: systemClock }
  const artifacts = await openArtifacts(options)
  await requireOwnData({ ...options, storage, artifacts, adopt: false })
  return artifacts
}
