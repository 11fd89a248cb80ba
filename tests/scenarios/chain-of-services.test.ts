/**
 * Three services in a chain, each buying at the next: whichever is killed, at whatever moment of a
 * purchase or a download, every accepted task ends with its artifact, is made once at each service, and
 * each of them can derive what it charged.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it, type TestContext } from "node:test"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
  type ServingProcess,
} from "../service/command/command-process.ts"
import { startLyingProxy, type LyingProxy, type ProxiedRequest } from "../support/lying-proxy.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

/** A service, and the proxy by which others reach it wherever it listens at the moment. */
interface Link {
  readonly folder: string
  readonly proxy: LyingProxy
  readonly environment: Readonly<Record<string, string>>
  readonly key: string
  service: ServingProcess
}

/** With `upstream` as its only channel; the studio without one. */
async function startLink(t: TestContext, upstream?: Link): Promise<Link> {
  const folder = await temporaryFolder(t)
  const proxy = await startLyingProxy()
  t.after(() => proxy[Symbol.asyncDispose]())
  const channels = [
    upstream === undefined
      ? { type: "studio" }
      : { type: "safelight", baseUrl: upstream.proxy.url },
  ]
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ channels }))
  const environment = upstream === undefined ? {} : { SAFELIGHT_UPSTREAM_KEY: upstream.key }
  const service = await startServiceProcess(folder, [], { environment })
  proxy.aim(service.url)
  return { folder, proxy, environment, key: parseKey(service.stdout()), service }
}

async function restart(link: Link): Promise<void> {
  await link.service.ended
  const { environment, folder } = link
  link.service = await startServiceProcess(folder, [], { environment })
  link.proxy.aim(link.service.url)
}

type Name = "first" | "second" | "third"

interface Moment {
  readonly victim: Name
  /** Who has just answered; the answer is lost. */
  readonly answerer: Name
  readonly request: (request: ProxiedRequest) => boolean
}

const isCreation = ({ method }: ProxiedRequest): boolean => method === "POST"
const isDownload = ({ method, path }: ProxiedRequest): boolean =>
  method === "GET" && path.endsWith("/content")

/** Each service as the one that asks and as the one that is asked; a restart takes seconds. */
const MOMENTS: readonly Moment[] = [
  { victim: "first", answerer: "second", request: isCreation },
  { victim: "second", answerer: "second", request: isCreation },
  { victim: "second", answerer: "third", request: isCreation },
  { victim: "third", answerer: "third", request: isCreation },
  { victim: "first", answerer: "second", request: isDownload },
  { victim: "second", answerer: "second", request: isDownload },
]

/** Resolves once it is dead: the answer to the next such request is never given. */
function killAt(links: Readonly<Record<Name, Link>>, moment: Moment): Promise<void> {
  const { proxy } = links[moment.answerer]
  const { service } = links[moment.victim]
  return new Promise((resolve) => {
    proxy.lie(moment.request, () => {
      service.kill("SIGKILL")
      proxy.lie()
      resolve()
      return "reset"
    })
  })
}

/** Asks until it is answered, always under the same key. */
async function submit(link: Link, key: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${link.key}`,
    "content-type": "application/json",
    "idempotency-key": key,
  }
  const body = JSON.stringify({ model: MODEL, parameters: { prompt: key, size: "square" } })
  for (;;) {
    const url = `${link.service.url}/v1/tasks`
    const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined)
    if (response !== undefined) {
      assert.equal(response.status, 202)
      return ((await response.json()) as { readonly task_id: string }).task_id
    }
    await pause()
  }
}

async function ask(link: Link, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${link.key}` }
  const response = await fetch(`${link.service.url}${path}`, { headers })
  assert.equal(response.status, 200, `${path} answers ${response.status}`)
  return response
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}

async function assertMade(link: Link, id: string): Promise<void> {
  for (;;) {
    const task = (await (await ask(link, `/v1/tasks/${id}`)).json()) as {
      readonly status: string
      readonly error: object | null
    }
    assert.equal(task.error, null)
    if (task.status === "succeeded") break
    await pause()
  }
  const response = await ask(link, `/v1/tasks/${id}/artifacts/image_1/content`)
  const digest = createHash("sha256").update(Buffer.from(await response.arrayBuffer()))
  assert.equal(response.headers.get("repr-digest"), `sha-256=:${digest.digest("base64")}:`)
}

/** As many tasks as were asked for at the first, each charged once. */
async function assertOnce(link: Link, tasks: number): Promise<number> {
  const list = (await (await ask(link, "/v1/tasks?limit=100")).json()) as {
    readonly tasks: readonly { readonly status: string }[]
  }
  const statuses = list.tasks.map(({ status }) => status)
  assert.deepEqual(
    statuses,
    Array.from({ length: tasks }, () => "succeeded"),
  )
  const usage = (await (await ask(link, "/v1/usage")).json()) as {
    readonly charges: readonly { readonly tasks: number; readonly images: number }[]
    readonly charge_micros: number
  }
  const [charges, ...others] = usage.charges
  assert.deepEqual([charges?.tasks, charges?.images, others.length], [tasks, tasks, 0])
  return usage.charge_micros
}

it("a chain of three services loses nothing and makes nothing twice, whichever is killed", async (t) => {
  const third = await startLink(t)
  const second = await startLink(t, third)
  const first = await startLink(t, second)
  const links = { first, second, third }
  const ids: string[] = []
  for (const [index, moment] of MOMENTS.entries()) {
    const killed = killAt(links, moment)
    const submitted = submit(first, `order-${index}`)
    await killed
    await restart(links[moment.victim])
    ids.push(await submitted)
  }
  for (const id of ids) await assertMade(first, id)

  const charges = []
  for (const link of [first, second, third]) charges.push(await assertOnce(link, ids.length))
  assert.equal(new Set(charges).size, 1, `charged ${charges.join()}`)
  for (const { folder, service } of [first, second, third]) {
    service.kill("SIGTERM")
    assert.equal((await service.ended).code, 0)
    for (const check of ["verify", "replay"]) {
      const { code, stderr } = await runCommand(["audit", check, "--data", "data"], { folder })
      assert.equal(code, 0, stderr)
    }
  }
})
