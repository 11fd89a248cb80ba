/** The storage of a round by its place: a folder for SQLite, or a URL for PostgreSQL. */
import type { Log, Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"

export interface OpenStorageOptions {
  readonly place: string
  /** A node serves; whoever looks on beside it does not. */
  readonly mode: "serve" | "beside"
  readonly log?: Log
}

export function openStorage({ place, mode, log }: OpenStorageOptions): Promise<Storage> {
  const heard = log === undefined ? {} : { log }
  if (place.startsWith("postgres:")) return createPostgresStorage({ url: place, mode, ...heard })
  return createSqliteStorage({ folder: place, mode, ...heard })
}
