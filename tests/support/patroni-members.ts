/**
 * The programs of a test's cluster, all of Debian: PostgreSQL 15 and Patroni on three machines, one etcd and HAProxy on
 * the hub between them. HAProxy listens at this machine's loopback; members and etcd can only be asked by socket files.
 */
import { execFileSync, spawnSync, type StdioOptions } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { closeSync, existsSync, mkdtempSync, openSync } from "node:fs"
import { chown, mkdir, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { createServer, type AddressInfo, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import {
  openMemberNetwork,
  type Machine,
  type MemberNetwork,
  type Owner,
} from "./member-network.ts"
import {
  BINARIES,
  ETCD_PORT,
  toHaproxyFile,
  toPatroniFile,
  USER,
  type ClusterSettings,
} from "./patroni-files.ts"

export interface Member {
  readonly name: string
  readonly folder: string
  readonly machine: Machine
}

export interface PatroniMembers extends AsyncDisposable {
  readonly all: readonly Member[]
  readonly network: Pick<MemberNetwork, "cut" | "mend">
  /** `postgres://…/name` through HAProxy. */
  url(database: string): string
  /** Starts what was killed. */
  start(member: Member): Promise<void>
  /** The JSON that this member's Patroni answers, or `etcd`; undefined where none came, or another status than 200. */
  ask(name: string, method: string, path: string, body?: object): Promise<unknown>
}

const ETCD = "/usr/bin/etcd"
const HAPROXY = "/usr/sbin/haproxy"
const PATRONI = "/usr/bin/patroni"
const NEEDED = [ETCD, HAPROXY, PATRONI, join(BINARIES, "postgres")]

/** For `{ skip }`: why there can be none here. Where programs are missing under CI it is tried, and fails. */
export function skipWithoutPatroni(): string | false {
  const missing = NEEDED.find((path) => !existsSync(path))
  if (missing !== undefined) return process.env["CI"] === undefined && `no ${missing}`
  const { status } = spawnSync("unshare", ["--net", "ip", "link", "add", "hub", "type", "bridge"])
  return status === 0 ? false : "no right to open a network for each member"
}

export const MEMBERS = 3

/** An answer that takes longer is none: whoever is asked may be frozen. */
const ANSWER_MS = 2_000

/** Resolves once the programs run; none may be ready yet. */
export async function startMembers(settings: ClusterSettings): Promise<PatroniMembers> {
  await using stack = new AsyncDisposableStack()
  const owner = findOwner()
  const folder = mkdtempSync(join(tmpdir(), "safelight-patroni-"))
  await chown(folder, owner.uid, owner.gid)
  const network = stack.use(await openMemberNetwork(MEMBERS, folder))
  const { hub } = network
  const password = randomBytes(16).toString("hex")
  const all = network.members.map((machine, at): Member => {
    const name = `member-${at + 1}`
    return { name, folder: join(folder, name), machine }
  })

  async function run(machine: Machine, command: readonly string[], log: string, socket?: number) {
    const file = openSync(join(folder, `${log}.log`), "a")
    const stdio: StdioOptions = ["ignore", file, file, ...(socket === undefined ? [] : [socket])]
    await once(machine.run(command, owner, stdio), "spawn")
    closeSync(file)
  }

  async function start({ folder: own, machine, name }: Member): Promise<void> {
    const file = join(own, "patroni.yml")
    if (!existsSync(own)) {
      await mkdir(own, { mode: 0o700 })
      const { address } = machine
      const content = { ...settings, name, address, etcd: hub.address, folder: own, password }
      await writeFile(file, toPatroniFile(content), { mode: 0o600 })
      await Promise.all([own, file].map((path) => chown(path, owner.uid, owner.gid)))
    }
    await run(machine, [PATRONI, file], name)
  }

  await run(hub, [ETCD, "--data-dir", join(folder, "etcd"), ...toEtcdFlags(hub.address)], "etcd")
  const haproxyFile = join(folder, "haproxy.cfg")
  await writeFile(haproxyFile, toHaproxyFile(folder, hub.address, all))
  const { port, release, socket } = await openSocket()
  await run(hub, [HAPROXY, "-db", "-f", haproxyFile], "haproxy", socket)
  release()
  await Promise.all(all.map(start))
  const held = stack.move()
  return {
    all,
    network,
    url: (database) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`,
    start,
    ask: (name, method, path, body) =>
      askBySocket(join(folder, `${name}.sock`), { method, path, body }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

interface Question {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
}

async function askBySocket(socketPath: string, { body, method, path }: Question): Promise<unknown> {
  const asked = request({ socketPath, method, path, timeout: ANSWER_MS, agent: false })
  asked.on("timeout", () => asked.destroy())
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  try {
    const [answer] = await once(asked, "response")
    if (answer.statusCode === 200) return await json(answer)
    answer.resume()
    return undefined
  } catch {
    return undefined
  }
}

function toEtcdFlags(address: string): string[] {
  const client = `http://${address}:${ETCD_PORT}`
  return ["--enable-v2", "--listen-client-urls", client, "--advertise-client-urls", client]
}

/** A socket of this machine's loopback, which stays one in whichever network it is listened at. */
async function openSocket() {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // oxlint-disable-next-line no-underscore-dangle -- Node has no other way to tell it
  const { fd } = (server as Server & { readonly _handle: { readonly fd: number } })._handle
  const { port } = server.address() as AddressInfo
  return { port, socket: fd, release: () => void server.close() }
}

/** The user that Debian's package makes: PostgreSQL refuses to run as root. */
function findOwner(): Owner {
  const read = (flag: string): number =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: read("-u"), gid: read("-g") }
}
