/**
 * Opens where a service keeps things: the database and the artifacts, each in the data folder unless
 * the configuration names another place. What can't be used is refused here, before anything is served.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createS3Artifacts, parseS3Url } from "@safelight/artifacts-s3"
import {
  SafelightError,
  type ArtifactStorage,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import { createPostgresStorage, type Commit } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import type { Configuration } from "./configuration/configuration.ts"

/** Artifacts, and the nightly removal of what was begun and never ended. */
export interface ServedArtifacts extends ArtifactStorage {
  readonly sweepIncoming: (now: number) => Promise<number>
}

export interface OpenPlacesOptions {
  readonly configuration: Configuration
  readonly log: Log
  readonly clock: Clock
  readonly onCommit?: (commit: Commit) => void
}

export async function openStorage(options: OpenPlacesOptions): Promise<Storage> {
  const { configuration, log, onCommit } = options
  const { data, database } = configuration
  const listener = onCommit && { onCommit }
  if (database === undefined) {
    return createSqliteStorage({ folder: data, mode: "serve", log, ...listener })
  }
  return createPostgresStorage({ url: database, log, ...listener })
}

export async function openArtifacts(options: OpenPlacesOptions): Promise<ServedArtifacts> {
  const { configuration, log, clock } = options
  const { artifacts: place, credentials, data } = configuration
  if (place?.startsWith("s3:") === true) {
    if (credentials === undefined) throw withoutCredentials()
    const bucket = createS3Artifacts({ ...parseS3Url(place), credentials, log, clock })
    await bucket.check()
    return bucket
  }
  const folder = place ?? join(data, "artifacts")
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `${folder} can't be made (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return createFilesystemArtifacts({ folder })
}

function withoutCredentials(): SafelightError {
  const message = "artifacts: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
  return new SafelightError({ code: "invalid-configuration", message })
}
