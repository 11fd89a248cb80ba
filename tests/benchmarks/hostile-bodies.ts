/**
 * `alive_after_bodies_in_512_mb`: 1 if `safelight serve` in a control group of 512 MB still answers after
 * `DURATION_MS` of bodies from four callers with one key, else 0. Every other body has 31 MiB, far above what
 * so small a service takes, and the rest as many as it takes. A service that refuses to start there and says
 * why is as good: then `refused_in_512_mb` is 1. Where no control group can be made both are left out, and
 * standard error says so.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { EDIT } from "./hostile-tasks.ts"
import { createMemoryLimit, type MemoryLimit } from "./memory-limit.ts"

const MEBIBYTE = 1024 * 1024
const LIMIT_BYTES = 512 * MEBIBYTE
const DURATION_MS = 60_000
const CALLERS = 4
/** The second is just below a fortieth of what 512 MiB leave beside a service's own 256. */
const BODIES_BYTES = [31 * MEBIBYTE, 6 * MEBIBYTE]
const BIN = join(import.meta.dirname, "../../packages/safelight/bin/safelight.js")

export async function measureBodies(): Promise<Record<string, number>> {
  await using limit = await createMemoryLimit(LIMIT_BYTES)
  if (limit === undefined) {
    process.stderr.write(
      "hostile: no control group can be made here: bodies in 512 MB are left out\n",
    )
    return {}
  }
  await using folder = await createTemporaryFolder()
  const service = startService(limit, folder.path)
  try {
    const started = await readStart(service, folder.path)
    if (started === undefined) return { alive_after_bodies_in_512_mb: 0, refused_in_512_mb: 1 }
    const over = AbortSignal.timeout(DURATION_MS)
    const answers: number[] = []
    const callers = Array.from({ length: CALLERS }, () => attack(started, over, answers))
    await Promise.all(callers)
    return {
      alive_after_bodies_in_512_mb: (await isAlive(service, started.url)) ? 1 : 0,
      refused_in_512_mb: 0,
      bodies_sent_in_512_mb: answers.length,
      bodies_accepted_in_512_mb: answers.filter((status) => status === 202).length,
      most_mb_in_512_mb: (await limit.mostBytes()) / MEBIBYTE,
    }
  } finally {
    await stop(service)
  }
}

function startService({ command }: MemoryLimit, data: string): ChildProcess {
  const [shell = "", ...words] = command
  const serve = [process.execPath, BIN, "serve", "--port", "0", "--data", data, "--sandbox"]
  return spawn(shell, [...words, ...serve], { cwd: data, stdio: ["ignore", "pipe", "pipe"] })
}

interface Started {
  readonly url: string
  readonly key: string
}

/** Resolves once it listens; undefined if it refuses to start and says why, in one line that names memory. */
async function readStart(service: ChildProcess, data: string): Promise<Started | undefined> {
  const { stdout, stderr } = service
  if (stdout === null || stderr === null) throw new Error("the service has no output")
  let errors = ""
  stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  let keyFile = ""
  const lines = createInterface({ input: stdout })
  for await (const line of lines) {
    if (line.startsWith(join(data, "first-key-"))) keyFile = line.trim()
    const [, url] = /^listening on (http:\/\/\S+)$/.exec(line) ?? []
    if (url === undefined) continue
    // Its log is not read further, and must not stop it.
    stdout.resume()
    return { url, key: (await readFile(keyFile, "utf8")).trim() }
  }
  if (/MiB of memory may be used/.test(errors)) return undefined
  throw new Error(`the service did not start: ${errors}`)
}

/** Sends bodies back to back and notes what each was answered, 0 for a connection that was closed. */
async function attack({ url, key }: Started, over: AbortSignal, answers: number[]): Promise<void> {
  const bodies = BODIES_BYTES.map(toBody)
  for (let turn = 0; !over.aborted; turn += 1) {
    const body = bodies[turn % bodies.length] ?? Buffer.alloc(0)
    answers.push(await post(url, key, body))
  }
}

function toBody(bytes: number): Buffer {
  const image = `data:image/png;base64,${"QUFB".repeat(Math.floor(bytes / 4) - 100)}`
  return Buffer.from(
    JSON.stringify({ model: EDIT, parameters: { prompt: "", image_urls: [image] } }),
  )
}

function post(url: string, key: string, body: Buffer): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": body.length,
  }
  return new Promise((resolve) => {
    const call = request(`${url}/v1/tasks`, { method: "POST", headers }, (answer) => {
      answer.resume().once("close", () => resolve(answer.statusCode ?? 0))
    })
    // A body that is too large is answered before it was sent.
    call.once("error", () => resolve(0))
    call.end(body)
  })
}

async function isAlive(service: ChildProcess, url: string): Promise<boolean> {
  if (service.exitCode !== null || service.signalCode !== null) return false
  const response = await fetch(`${url}/healthz`)
  return response.ok
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return
  const exited = once(service, "exit")
  service.kill("SIGKILL")
  await exited
}
