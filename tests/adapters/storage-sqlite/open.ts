/** A storage in a folder of its own, for tests of what fails under it, and what they ask of it. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isSafelightError, type Storage } from "@safelight/core"
import { createSqliteStorage, type SqliteStorageOptions } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

export interface Opened extends AsyncDisposable {
  readonly storage: Storage
  /** Another connection to the database, as another process would have. */
  connect(): DatabaseSync
  reopen(options: Partial<SqliteStorageOptions>): Promise<Storage>
}

export async function open(options: Partial<SqliteStorageOptions>): Promise<Opened> {
  const folder = await createTemporaryFolder()
  let current = await createSqliteStorage({ folder: folder.path, ...options })
  const connections: DatabaseSync[] = []
  return {
    storage: current,
    connect() {
      const connection = new DatabaseSync(join(folder.path, "safelight.db"))
      connections.push(connection)
      return connection
    },
    async reopen(changed) {
      await current.close()
      current = await createSqliteStorage({ folder: folder.path, ...changed })
      return current
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close()
      await current.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export function assertUnavailable(error: unknown, retryable: boolean): void {
  assert.ok(isSafelightError(error), String(error))
  assert.deepEqual([error.code, error.retryable], ["storage-unavailable", retryable])
}

export function assertUnavailableFrom(
  promise: Promise<unknown>,
  retryable: boolean,
): Promise<void> {
  return assert.rejects(promise, (error) => {
    assertUnavailable(error, retryable)
    return true
  })
}

export function nextTag(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
