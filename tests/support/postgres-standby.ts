/** Standbys of a server that tests have started: its data copied while it runs, and streamed to from then on. */
import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { startPostgres, type PostgresServer } from "./postgres-server.ts"
import { execute } from "./test-database.ts"
import { until } from "./until.ts"

/** It keeps enough of its log for a standby that was stopped. */
export const STREAMING_SERVER = ["fsync=off", "full_page_writes=off", "wal_keep_size=512MB"]

/** A hot standby, asynchronous. Its databases and its password are the primary's. */
export async function startStandby(
  primary: PostgresServer,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const { password, port } = primary
  const conninfo = `host=127.0.0.1 port=${port} user=safelight password=${password}`
  return startPostgres({
    settings: [...STREAMING_SERVER, `primary_conninfo=${conninfo}`, ...settings],
    password,
    async prepare(data, _make, own) {
      const label = await copyRunning(primary, data)
      for (const [name, text] of [
        ["backup_label", label],
        ["standby.signal", ""],
      ] as const) {
        writeFileSync(join(data, name), text)
        own(join(data, name))
      }
    },
  })
}

/** A standby of another server, which is not there. */
export async function startStranger(): Promise<PostgresServer> {
  return startPostgres({
    settings: STREAMING_SERVER,
    async prepare(data, make, own) {
      make()
      const signal = join(data, "standby.signal")
      writeFileSync(signal, "")
      own(signal)
    },
  })
}

/** A base backup of a server that runs on. Resolves to the label with which the copy has to begin. */
export async function copyRunning(primary: PostgresServer, data: string): Promise<string> {
  const client = new Client({ connectionString: primary.url("postgres") })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    execFileSync("cp", ["-a", primary.data, data])
    const { rows } = await client.query<{ labelfile: string }>(
      "select labelfile from pg_backup_stop(false)",
    )
    // They are of the running primary.
    for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(join(data, name))
    return rows[0]?.labelfile ?? ""
  } finally {
    await client.end()
  }
}

/** Resolves once the standby has replayed all that the primary has written. */
export async function untilReplayed(
  primary: PostgresServer,
  standby: PostgresServer,
): Promise<void> {
  const [row] = await execute<{ position: string }>(
    primary.url("postgres"),
    "select pg_current_wal_lsn()::text as position",
  )
  await until(async () => {
    const [replayed] = await execute<{ is_there: boolean }>(
      standby.url("postgres"),
      `select pg_last_wal_replay_lsn() >= '${row?.position}' as is_there`,
    )
    return replayed?.is_there === true
  })
}
