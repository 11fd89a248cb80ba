/**
 * A real PgBouncer before a test's PostgreSQL, from a configuration of its own in a temporary folder. It ends with the
 * process that started it, and the machine's own PgBouncer, where one runs, is left alone.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { findFreePort } from "./free-port.ts"
import { until } from "./until.ts"

export interface Pgbouncer extends AsyncDisposable {
  readonly port: number
  /** The same database through it, as the same role. */
  through(url: string): string
  /** Ends it at once, whoever is connected, and starts it again. */
  restart(): Promise<void>
}

export interface PgbouncerOptions {
  /** Of `[pgbouncer]`, in addition to what it needs: `pool_mode` is `transaction` by default. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** Debian keeps it where an ordinary user's PATH does not look. */
const EXECUTABLE = process.env["SAFELIGHT_TEST_PGBOUNCER"] ?? "/usr/sbin/pgbouncer"

/** For `{ skip }`: why it can't be had here. Under CI it is tried, and fails. */
export function skipWithoutPgbouncer(): string | false {
  return existsSync(EXECUTABLE) || process.env["CI"] !== undefined ? false : `no ${EXECUTABLE}`
}

/** Before the server of `url`, for the role of it and every database. Resolves once it accepts connections. */
export async function startPgbouncer(
  url: string,
  options: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), "safelight-pgbouncer-"))
  const port = await findFreePort()
  const owner = findOwner()
  const files = {
    "pgbouncer.ini": toConfiguration(url, folder, port, options),
    users: toUsers(url),
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content, { mode: 0o600 })
  }
  const { gid, uid } = owner
  if (uid !== undefined) {
    const paths = [folder, ...Object.keys(files).map((name) => join(folder, name))]
    await Promise.all(paths.map((path) => chown(path, uid, gid ?? uid)))
  }
  const start = (): Promise<ChildProcess> => startIn(folder, port, owner)
  let child = await start()
  const end = (): void => void child.kill("SIGTERM")
  process.once("exit", end)
  return {
    port,
    through(direct) {
      const address = new URL(direct)
      address.port = String(port)
      return address.href
    },
    async restart() {
      await stop(child)
      child = await start()
    },
    async [Symbol.asyncDispose]() {
      process.off("exit", end)
      await stop(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startIn(folder: string, port: number, owner: Owner): Promise<ChildProcess> {
  const child = spawn(EXECUTABLE, ["--quiet", join(folder, "pgbouncer.ini")], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  })
  const words = text(child.stderr)
  await once(child, "spawn")
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${await words}`)
    return isListening(port)
  })
  return child
}

function toConfiguration(
  url: string,
  folder: string,
  port: number,
  { settings = {} }: PgbouncerOptions,
): string {
  const { hostname, port: server } = new URL(url)
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: join(folder, "users"),
    pool_mode: "transaction",
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const databases = `[databases]\n* = host=${hostname} port=${server}`
  return `${databases}\n[pgbouncer]\n${lines.join("\n")}\n`
}

function toUsers(url: string): string {
  const { password, username } = new URL(url)
  return `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`
}

interface Owner {
  readonly uid?: number
  readonly gid?: number
}

/** PgBouncer refuses to run as root: as the user does that a test's PostgreSQL has made. */
function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {}
  const read = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: read("-u"), gid: read("-g") }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  // At once, whoever is connected.
  child.kill("SIGTERM")
  await exited
}
