/**
 * The S3 gateway of Ceph, of Debian's packages: one monitor, one OSD that keeps its objects in memory, and the gateway,
 * on the loopback and in a temporary folder. They end with the process that started them, however that ends.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { closeSync, existsSync, openSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import type { S3Credentials } from "@safelight/artifacts-s3"
import { findFreePort } from "../../support/free-port.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { sign } from "./aws-signature.ts"
import type { RunningBucket } from "./mended-s3rver.ts"

export interface CephGateway extends AsyncDisposable {
  /** Of a user whose buckets they are. */
  readonly client: S3Client
  /** Makes an empty bucket, which stays until the gateway ends. */
  createBucket(): Promise<RunningBucket>
  /** Of a role that may do everything, for so many seconds. */
  createSession(seconds: number): Promise<Required<Omit<S3Credentials, "expiration">>>
}

/** Of the only user, whose secret key is random. */
export const ACCESS_KEY_ID = "SAFELIGHT"

/** In the folder. */
const CONFIGURATION = "ceph.conf"

const NEEDED = ["ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin"].map(
  (name) => `/usr/bin/${name}`,
)

/** For `{ skip }`: why it can't be had here. Under CI it is tried, and fails. */
export function skipWithoutCeph(): string | false {
  const missing = NEEDED.find((path) => !existsSync(path))
  return missing !== undefined && process.env["CI"] === undefined && `no ${missing}`
}

const run = promisify(execFile)

/** Resolves once the gateway answers. */
export async function startCeph(): Promise<CephGateway> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await createTemporaryFolder())
  const credentials = {
    accessKeyId: ACCESS_KEY_ID,
    secretAccessKey: randomBytes(20).toString("hex"),
  }
  const ask = (program: string, ...words: string[]) => run(program, words, { cwd: folder })
  const start = async (program: string, ...words: string[]): Promise<ChildProcess> => {
    const child = await startMortal([program, "-f", "-c", CONFIGURATION, ...words], folder)
    stack.defer(() => kill(child))
    return child
  }

  await makeCluster(folder, ask)
  await start("ceph-mon", "-i", "a")
  const osd = randomUUID()
  await ask("ceph", "-c", CONFIGURATION, "--connect-timeout", "30", "osd", "new", osd)
  await ask("ceph-osd", "-c", CONFIGURATION, "-i", "0", "--mkfs", "--osd-uuid", osd)
  await start("ceph-osd", "-i", "0")
  const { accessKeyId, secretAccessKey } = credentials
  const keys = [`--access-key=${accessKeyId}`, `--secret=${secretAccessKey}`]
  const user = ["--uid=safelight", "--display-name=Safelight", ...keys]
  await ask("radosgw-admin", "-c", CONFIGURATION, "user", "create", ...user)
  await makeRole(ask)
  const port = await findFreePort()
  // Without the last word the second packet of an answer waits up to 40 ms for the first one's receipt.
  const frontend = `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`
  const gateway = await start("radosgw", "-n", "client.admin", `--rgw_frontends=${frontend}`)
  const endpoint = `http://127.0.0.1:${port}`
  await until(() => {
    if (gateway.exitCode !== null) throw new Error(`radosgw ended with ${gateway.exitCode}`)
    return isAnswering(endpoint)
  })
  const client = new S3Client({ endpoint, region: "default", credentials, forcePathStyle: true })
  stack.defer(() => client.destroy())
  const held = stack.move()
  return {
    client,
    async createBucket() {
      const bucket = `artifacts-${randomUUID()}`
      await client.send(new CreateBucketCommand({ Bucket: bucket }))
      const options = { bucket, endpoint, credentials }
      return { options, [Symbol.asyncDispose]: async () => {} }
    },
    createSession: (seconds) => assumeRole({ endpoint, credentials, seconds }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

type Ask = (program: string, ...words: string[]) => Promise<unknown>

/** What the monitor needs at its first start. */
async function makeCluster(folder: string, ask: Ask): Promise<void> {
  const cluster = randomUUID()
  const monitor = `[v2:127.0.0.1:${await findFreePort()}/0]`
  await writeFile(join(folder, CONFIGURATION), toConfiguration(folder, cluster, monitor))
  await Promise.all(["mon", "osd"].map((name) => mkdir(join(folder, name))))
  await ask("monmaptool", "--create", "--fsid", cluster, "--addv", "a", monitor, "map")
  await ask("ceph-mon", "-c", CONFIGURATION, "-i", "a", "--mkfs", "--monmap", "map")
}

/** A role that the user may take on, and that may do everything with all buckets. */
async function makeRole(ask: Ask): Promise<void> {
  const admin = ["radosgw-admin", "-c", CONFIGURATION] as const
  const allow = (statement: object) =>
    JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...statement }] })
  const user = { AWS: ["arn:aws:iam:::user/safelight"] }
  const trust = allow({ Principal: user, Action: ["sts:AssumeRole"] })
  await ask(...admin, "role", "create", "--role-name=any", `--assume-role-policy-doc=${trust}`)
  const policy = allow({ Action: ["s3:*"], Resource: "arn:aws:s3:::*" })
  const named = ["--role-name=any", "--policy-name=any"]
  await ask(...admin, "role-policy", "put", ...named, `--policy-doc=${policy}`)
}

interface RoleRequest {
  readonly endpoint: string
  readonly credentials: Pick<S3Credentials, "accessKeyId" | "secretAccessKey">
  readonly seconds: number
}

async function assumeRole({ credentials, endpoint, seconds }: RoleRequest) {
  const url = new URL(endpoint)
  const parameters = {
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: "arn:aws:iam:::role/any",
    RoleSessionName: "session",
    DurationSeconds: String(seconds),
  }
  const body = Buffer.from(String(new URLSearchParams(parameters)))
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const scope = `${date.slice(0, 8)}/default/sts/aws4_request`
  const headers = { "content-type": "application/x-www-form-urlencoded", "x-amz-date": date }
  const signed = { host: url.host, ...headers }
  const names = Object.keys(signed).toSorted().join(";")
  const request = { method: "POST", headers: signed }
  const signature = sign({ request, body, url, credentials }, scope, names)
  const credential = `Credential=${credentials.accessKeyId}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`
  const answer = await fetch(url, { method: "POST", headers: { ...headers, authorization }, body })
  const text = await answer.text()
  const [accessKeyId, secretAccessKey, sessionToken] = [
    /<AccessKeyId>(.*?)</.exec(text)?.[1],
    /<SecretAccessKey>(.*?)</.exec(text)?.[1],
    /<SessionToken>(.*?)</.exec(text)?.[1],
  ]
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined) {
    throw new Error(`no session: ${text}`)
  }
  return { accessKeyId, secretAccessKey, sessionToken }
}

/** Everything in one folder, without keys between the programs, and nothing waits for a replica. */
function toConfiguration(folder: string, cluster: string, monitor: string): string {
  const settings = {
    fsid: cluster,
    mon_host: monitor,
    mon_data: join(folder, "mon"),
    osd_data: join(folder, "osd"),
    rgw_data: folder,
    run_dir: folder,
    crash_dir: folder,
    log_file: join(folder, "$name.log"),
    admin_socket: join(folder, "$name.$pid.asok"),
    public_addr: "127.0.0.1",
    cluster_addr: "127.0.0.1",
    ms_bind_msgr1: false,
    auth_cluster_required: "none",
    auth_service_required: "none",
    auth_client_required: "none",
    // The gateway asks for an encrypted connection otherwise, and has none without keys.
    ms_mon_client_mode: "crc",
    // Each pool takes two rounds of it, by default of a second.
    paxos_propose_interval: 0.02,
    osd_objectstore: "memstore",
    memstore_device_bytes: 2 ** 30,
    osd_pool_default_size: 1,
    osd_pool_default_pg_num: 1,
    osd_pool_default_pg_autoscale_mode: "off",
    osd_crush_chooseleaf_type: 0,
    mon_allow_pool_size_one: true,
    // A session's token is encrypted with it.
    rgw_sts_key: randomBytes(8).toString("hex"),
    rgw_s3_auth_use_sts: true,
    rgw_sts_min_session_duration: 1,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  return `[global]\n${lines.join("\n")}\n`
}

/** Ends with the thread that started it. What it says is in the folder. */
async function startMortal(command: readonly string[], cwd: string): Promise<ChildProcess> {
  const log = openSync(join(cwd, `${command[0]}.out`), "a")
  const words = ["--pdeathsig", "KILL", ...command]
  const child = spawn("setpriv", words, { cwd, stdio: ["ignore", log, log] })
  closeSync(log)
  await once(child, "spawn")
  return child
}

/** What it holds is in memory, or goes with the folder. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

async function isAnswering(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    ({ ok }) => ok,
    () => false,
  )
}
