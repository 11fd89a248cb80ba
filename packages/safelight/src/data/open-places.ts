/**
 * Opens the database and the place for artifacts, each in the data folder unless the configuration names another
 * place. A place that can't be used is refused here, before anything is served.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import type { S3ArtifactsOptions } from "@safelight/artifacts-s3"
import {
  SafelightError,
  type ArtifactStorage,
  type Clock,
  type Log,
  type Storage,
} from "@safelight/core"
import {
  createPostgresStorage,
  type Answerer,
  type Commit,
  type PostgresStorageOptions,
} from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import type {
  BucketCredentials,
  Configuration,
  ReadConfiguration,
} from "../configuration/configuration.ts"
import { withIgnoredFolder } from "./ignored-folder.ts"

/** With all of the port's optional methods. */
export type ServedArtifacts = Required<ArtifactStorage>

const ARTIFACTS_NAME = "--artifacts (SAFELIGHT_ARTIFACTS_URL)"

/** The variable of each credential. */
const CREDENTIAL_VARIABLES = {
  accessKeyId: "AWS_ACCESS_KEY_ID",
  secretAccessKey: "AWS_SECRET_ACCESS_KEY",
  sessionToken: "AWS_SESSION_TOKEN",
} as const satisfies Record<keyof BucketCredentials, string>

/** Characters that a header may hold: not the last line break of a file, for example. */
const CREDENTIAL_PATTERN = /^[\x21-\x7e]+$/

export interface OpenPlacesOptions {
  readonly configuration: ReadConfiguration
  readonly log: Log
  readonly clock: Clock
  readonly onCommit?: (commit: Commit) => void
  /** With a standby: called with every read that it may answer. */
  readonly onRead?: (answerer: Answerer) => void
}

/**
 * Throws `invalid-configuration` if an API and a worker would each keep artifacts in a folder of their own: the
 * one could never serve what the other made.
 */
export function assertShared({ artifacts, role }: Configuration): void {
  if (role === "all" || artifacts !== undefined) return
  const message = `role: "${role}" needs artifacts where every process reaches them; --artifacts or SAFELIGHT_ARTIFACTS_URL names the bucket or folder`
  throw new SafelightError({ code: "invalid-configuration", message })
}

export async function openStorage(options: OpenPlacesOptions): Promise<Storage> {
  const { configuration, log, onCommit, onRead } = options
  const { data, database } = configuration
  const listener = onCommit && { onCommit }
  if (database === undefined) {
    return withIgnoredFolder(data, () =>
      createSqliteStorage({ folder: data, mode: "serve", log, ...listener }),
    )
  }
  const addresses = toAddresses(database, configuration)
  return createPostgresStorage({ ...addresses, log, ...listener, ...(onRead && { onRead }) })
}

/** Of a PostgreSQL server, as its storage takes them. */
export function toAddresses(
  url: string,
  {
    listenDatabase: listenUrl,
    readDatabase: readUrl,
  }: Pick<ReadConfiguration, "listenDatabase" | "readDatabase">,
): Pick<PostgresStorageOptions, "listenUrl" | "readUrl" | "url"> {
  return {
    url,
    ...(listenUrl !== undefined && { listenUrl }),
    ...(readUrl !== undefined && { readUrl }),
  }
}

export async function openArtifacts(options: OpenPlacesOptions): Promise<ServedArtifacts> {
  const artifacts = await createArtifacts(options)
  const folder = toArtifactFolder(options.configuration)
  if (folder === undefined) {
    await artifacts.check()
    return artifacts
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const message = `${folder} can't be made (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return artifacts
}

/** Undefined if a bucket holds the artifacts. */
export function toArtifactFolder({
  artifacts,
  data,
}: Pick<Configuration, "artifacts" | "data">): string | undefined {
  return artifacts?.startsWith("s3:") === true ? undefined : (artifacts ?? join(data, "artifacts"))
}

/** Where artifacts are. */
export type ArtifactPlace = Pick<ReadConfiguration, "artifacts" | "credentials" | "data">

/** Connects to nothing and makes nothing. */
export async function createArtifacts(
  options: Pick<OpenPlacesOptions, "clock" | "log"> & { readonly configuration: ArtifactPlace },
): Promise<ServedArtifacts> {
  const { configuration, log, clock } = options
  const { artifacts: place = "", credentials } = configuration
  const folder = toArtifactFolder(configuration)
  if (folder === undefined) {
    const { createS3Artifacts } = await import("@safelight/artifacts-s3")
    const bucket = await toBucketOptions(place, ARTIFACTS_NAME, credentials)
    return createS3Artifacts({ ...bucket, log, clock })
  }
  return createFilesystemArtifacts({ folder })
}

/** Of `s3://…`; errors begin with `name`. Rejects with `invalid-configuration`. */
export async function toBucketOptions(
  place: string,
  name: string,
  credentials: BucketCredentials | undefined,
): Promise<S3ArtifactsOptions> {
  // Loaded only if there is a bucket: its client is large.
  const { parseS3Url } = await import("@safelight/artifacts-s3")
  const location = parseS3Url(place, name)
  if (credentials !== undefined) assertCredentials(credentials)
  return { ...location, ...(credentials && { credentials }) }
}

/** The error names the variable, which the bucket's adapter does not know, and never the value. */
function assertCredentials(credentials: BucketCredentials): void {
  for (const field of ["accessKeyId", "secretAccessKey", "sessionToken"] as const) {
    const value = credentials[field]
    if (value === undefined || CREDENTIAL_PATTERN.test(value)) continue
    const message = `${CREDENTIAL_VARIABLES[field]} must be visible ASCII without spaces or line breaks`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
}
