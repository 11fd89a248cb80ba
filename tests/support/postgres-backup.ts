/** A base backup of a real server with its write-ahead log in an archive, restored to a moment as an operator would. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { startPostgres, type PostgresServer } from "./postgres-server.ts"
import { copyRunning } from "./postgres-standby.ts"
import { execute } from "./test-database.ts"
import { until } from "./until.ts"

export interface BaseBackup {
  /** A server with the state of `at`, by the first one's clock. It is paused there: it can be read, and not written. */
  restoreTo(at: string): Promise<PostgresServer>
}

/** Beside the data of the server, whose log is kept there. */
const ARCHIVE = "archive"

/** The server runs it in the folder of its data, and makes the archive's folder by it. */
const COPY = `archive_command=mkdir -p ../${ARCHIVE} && cp %p ../${ARCHIVE}/%f`

export function startArchivingPostgres(): Promise<PostgresServer> {
  return startPostgres({ settings: ["archive_mode=on", COPY] })
}

/** It lies beside the data of the server, which runs on. */
export async function takeBaseBackup(server: PostgresServer): Promise<BaseBackup> {
  const { data: running, password } = server
  const base = join(dirname(running), "base")
  const label = await copyRunning(server, base)
  return {
    async restoreTo(at) {
      const restored = await startPostgres({
        settings: [
          `restore_command=cp ${join(dirname(running), ARCHIVE)}/%f %p`,
          `recovery_target_time=${at}`,
          "recovery_target_action=pause",
        ],
        password,
        async prepare(data, _make, own) {
          execFileSync("cp", ["-a", base, data])
          for (const [name, text] of [
            ["backup_label", label],
            ["recovery.signal", ""],
          ] as const) {
            writeFileSync(join(data, name), text)
            own(join(data, name))
          }
        },
      })
      await until(() => isTrue(restored, "pg_get_wal_replay_pause_state() = 'paused'"))
      return restored
    },
  }
}

/** Resolves once all of the log so far is in the archive. */
export async function archiveLog(server: PostgresServer): Promise<void> {
  const switched = "select pg_walfile_name(pg_switch_wal()) as file"
  const [{ file } = { file: "" }] = await execute<{ file: string }>(
    server.url("postgres"),
    switched,
  )
  const isKept = `(select last_archived_wal >= '${file}' from pg_stat_archiver)`
  await until(() => isTrue(server, isKept))
}

/** Ends the pause: the server can be written from then on. */
export async function promote(restored: PostgresServer): Promise<void> {
  await execute(restored.url("postgres"), "select pg_wal_replay_resume()")
  await until(() => isTrue(restored, "not pg_is_in_recovery()"))
}

async function isTrue(server: PostgresServer, condition: string): Promise<boolean> {
  const sql = `select ${condition} as is_true`
  const [row] = await execute<{ is_true: boolean | null }>(server.url("postgres"), sql)
  return row?.is_true === true
}
