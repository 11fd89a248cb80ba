/**
 * The token of a private link, and its MAC, are told once: in the answer that gives the link out.
 * Links are used well and badly on a whole service, with its storage and files failing under them;
 * everything that it answers, logs or prints meanwhile is searched.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { inspect } from "node:util"
import { SafelightError, type ArtifactStorage, type LogFields, type Storage } from "@safelight/core"
import type { OnAnswered } from "@safelight/http"
import { createRequestLog } from "safelight"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { createInProcessService, type InProcessService, REQUEST } from "../in-process-service.ts"

const SETTINGS = {
  headersTimeoutMs: 200,
  requestTimeoutMs: 300,
  keepAliveTimeoutMs: 200,
  lingerMs: 100,
}

/** What a link is read by, each of which may fail. */
const READS = ["readTask", "readLinkEpoch", "readLinkKeys", "findAccount"] as const

interface Faults {
  read?: (typeof READS)[number] | undefined
  open?: boolean
  bytes?: boolean
  error?: unknown
}

const faults: Faults = {}
let service: InProcessService
let storage: Storage
let path = ""
let token = ""
/** All that was answered, except where a link is given out. */
const answered: string[] = []
const printed: string[] = []
/** The log of requests, and what it was made of. */
const told: unknown[] = []
const restores: (() => void)[] = []

before(async () => {
  for (const stream of [process.stdout, process.stderr]) listen(stream)
  const accessSettings = { keyCacheMs: 1 }
  const onAnswered = createTelling()
  const options = { settings: SETTINGS, accessSettings, wrapStorage, wrapArtifacts, onAnswered }
  service = await createInProcessService(options)
  service.engine.start()
  const { task_id: id } = await ask<{ task_id: string }>("/v1/tasks", REQUEST)
  await service.engine.finished(id)
  path = `/v1/tasks/${id}/artifacts/image_1`
  const { url } = await ask<{ url: string }>(`${path}/links`)
  token = new URL(url).searchParams.get("access") ?? ""
  assert.match(token, /^v1\.\w{8}\.\d+\.0\.[\w-]{43}$/)
})

after(async () => {
  for (const restore of restores) restore()
  await service[Symbol.asyncDispose]()
})

function createTelling(): OnAnswered {
  const tell = (fields: LogFields, message: string): void => void told.push({ fields, message })
  const logRequest = createRequestLog({ info: tell, warn: tell, error: tell })
  return (request) => {
    told.push(request)
    logRequest(request)
  }
}

/** Node's own console, which libraries use when nothing else is left to them. */
function listen(stream: NodeJS.WriteStream): void {
  const write = stream.write.bind(stream)
  stream.write = (chunk: unknown, ...rest: unknown[]) => {
    printed.push(String(chunk))
    return write(chunk as string, ...(rest as []))
  }
  restores.push(() => {
    stream.write = write
  })
}

function wrapStorage(opened: Storage): Storage {
  storage = opened
  const reads = READS.map((name) => {
    const call = opened[name] as (...values: unknown[]) => Promise<unknown>
    const guarded = (...values: unknown[]): Promise<unknown> =>
      faults.read === name ? Promise.reject(faults.error) : call(...values)
    return [name, guarded]
  })
  return { ...opened, ...Object.fromEntries(reads) } as Storage
}

function wrapArtifacts(files: ArtifactStorage): ArtifactStorage {
  return {
    ...files,
    async open(request) {
      if (faults.open === true) throw faults.error
      const reader = await files.open(request)
      return {
        ...reader,
        read: (into) => (faults.bytes === true ? Promise.reject(faults.error) : reader.read(into)),
      }
    },
  }
}

async function ask<Body>(target: string, body?: string): Promise<Body> {
  const headers = {
    authorization: `Bearer ${service.keys.whole}`,
    ...(body !== undefined && { "content-type": "application/json" }),
  }
  const init = { method: "POST", headers, ...(body !== undefined && { body }) }
  const response = await fetch(`${service.url}${target}`, init)
  assert.ok(response.ok, `${target} ${response.status}`)
  return (await response.json()) as Body
}

/** Sends bytes as they stand; resolves to all that comes back. */
function exchange(bytes: string): Promise<string> {
  const client = createRawClient(service.url)
  client.send(bytes)
  return client.ended()
}

/** The same for an answer that is searched with the others. */
async function exchangeOpenly(bytes: string): Promise<string> {
  const text = await exchange(bytes)
  answered.push(text)
  return text
}

interface Line {
  readonly method?: string
  readonly target: string
  readonly headers?: readonly string[]
  readonly host?: string
  readonly body?: string
}

function toBytes({ method = "GET", target, headers = [], host = "a", body = "" }: Line): string {
  const lines = [`Host: ${host}`, "Connection: close", ...headers]
  if (body !== "") lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`
}

function send(line: Line): Promise<string> {
  return exchangeOpenly(toBytes(line))
}

/** The token, and the MAC that is the secret of it. */
function assertUntold(): void {
  const secrets = [token, token.split(".").at(-1) ?? ""]
  const logged = [...service.logged, ...told].map((line) =>
    inspect(line, { depth: null, showHidden: true }),
  )
  for (const text of [...answered, ...printed, ...logged]) {
    for (const secret of secrets) assert.ok(!text.includes(secret), text.slice(0, 2_000))
  }
}

function link(): string {
  return `${path}/content?access=${token}`
}

function toListing(): string {
  return path.replace("/image_1", "")
}

function key(): string {
  return `Authorization: Bearer ${service.keys.whole}`
}

const JSON_BODY = "Content-Type: application/json"

const USES: readonly (readonly [name: string, status: number, line: () => Line])[] = [
  ["a download", 200, () => ({ target: link() })],
  ["its head", 200, () => ({ method: "HEAD", target: link() })],
  ["a range", 206, () => ({ target: link(), headers: ["Range: bytes=0-9"] })],
  ["two ranges", 206, () => ({ target: link(), headers: ["Range: bytes=0-0,900-"] })],
  ["a copy that is good", 304, () => ({ target: link(), headers: ["If-None-Match: *"] })],
  ["a false precondition", 412, () => ({ target: link(), headers: ['If-Match: "x"'] })],
  ["a range behind the end", 416, () => ({ target: link(), headers: ["Range: bytes=9999-"] })],
  ["a preflight", 204, () => ({ method: "OPTIONS", target: link() })],
  ["another method", 405, () => ({ method: "PUT", target: link() })],
  ["a good key beside it", 200, () => ({ target: link(), headers: [key()] })],
  ["an absolute address", 200, () => ({ target: `http://a${link()}` })],
  ["an address with a password", 200, () => ({ target: `http://x:y@a${link()}` })],
  ["a token with something behind it", 404, () => ({ target: `${link()}A` })],
  ["two tokens", 404, () => ({ target: `${link()}&access=${token}` })],
  ["another artifact", 404, () => ({ target: link().replace("image_1", "image_2") })],
  ["a task that is none", 404, () => ({ target: `/v1/tasks/${token}`, headers: [key()] })],
  ["an artifact that is none", 404, () => ({ target: link().replace("image_1", token) })],
  ["a path that is none", 404, () => ({ target: `/${token}?access=${token}` })],
  ["an address that needs a key", 401, () => ({ target: `${toListing()}?access=${token}` })],
  ["a listing by token", 401, () => ({ target: `/v1/tasks?access=${token}` })],
  ["a query that has it as a value", 400, () => ({ ...list(`access=${token}`) })],
  ["a query that has it as a name", 400, () => ({ ...list(`${token}=1`) })],
  ["a query that has it within a name", 400, () => ({ ...list(`see:${token}:${"x".repeat(99)}`) })],
  ["a cursor", 400, () => ({ ...list(`cursor=${token}`) })],
  ["a model in a query", 400, () => ({ ...list(`model=${token}`) })],
  ["a revocation", 400, () => ({ ...list(""), method: "DELETE", target: toLinks() })],
  ["a key", 401, () => ({ target: "/v1/tasks", headers: [`Authorization: Bearer ${token}`] })],
  ["a model", 400, () => create({ model: token, parameters: {} })],
  ["a member", 400, () => create({ model: "x", parameters: {}, [token]: 1 })],
  ["a parameter's name", 400, () => create({ ...VALID, parameters: { [token]: 1 } })],
  ["a parameter's value", 400, () => create({ ...VALID, parameters: { size: token } })],
  ["a media URL", 400, () => create({ model: EDIT, parameters: { image_urls: [token] } })],
  ["a body that is no JSON", 400, () => ({ ...create({}), body: `{"${token}` })],
  ["a type", 415, () => ({ ...create({}), headers: [key(), `Content-Type: ${token}`] })],
  ["an Idempotency-Key", 400, () => ({ ...creating(`Idempotency-Key: ${token}\té`) })],
  ["two Hosts", 400, () => ({ target: link(), headers: ["Host: b"] })],
  ["a Host that is no address", 200, () => ({ target: link(), host: "1.2.3.999" })],
  ["a Host that can't be one", 400, () => ({ target: link(), host: "a b" })],
  ["an address that is too long", 414, () => ({ target: `${link()}&x=${"x".repeat(9_000)}` })],
  ["headers that are too large", 431, () => ({ target: link(), headers: [long()] })],
  ["an address as long as the headers", 414, () => ({ target: `${link()}${"x".repeat(20_000)}` })],
]

const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VALID = { model: "vendor-a/v4.1/flash/text-to-image" }

function list(query: string): Line {
  return { target: `/v1/tasks?${query}`, headers: [key()] }
}

function toLinks(): string {
  return `${path}/links?access=${token}`
}

function create(body: object): Line {
  const headers = [key(), JSON_BODY]
  return { method: "POST", target: "/v1/tasks", headers, body: JSON.stringify(body) }
}

function creating(header: string): Line {
  return { ...create(JSON.parse(REQUEST) as object), headers: [key(), JSON_BODY, header] }
}

function long(): string {
  return `X-Link: ${token}${"x".repeat(20_000)}`
}

/** Bytes that are no request; each ends the connection. */
const BROKEN: readonly (readonly [name: string, bytes: () => string])[] = [
  ["a head that stops", () => `GET ${link()} HTTP/1.1\r\nHo`],
  ["a request line that stops", () => `GET ${link()}`],
  ["a folded header", () => `GET ${link()} HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n`],
  ["bare line feeds", () => `GET ${link()} HTTP/1.1\nHost: a\n\n`],
  ["no version", () => `GET ${link()}\r\n\r\n`],
  ["another protocol", () => `GET ${link()} SPDY/9\r\n\r\n`],
  ["a method that is none", () => `G@T ${link()} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["the token for a method", () => `${token} / HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["a space in the address", () => `GET ${link()} x HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["CONNECT", () => `CONNECT ${link()} HTTP/1.1\r\nHost: a\r\n\r\n`],
  [
    "an upgrade",
    () => `GET ${link()} HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: upgrade, close\r\n\r\n`,
  ],
]

describe("a token", () => {
  for (const [name, status, line] of USES) {
    it(`is told by nothing in ${name}, which is ${status}`, async () => {
      const text = await send(line())
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `))
      assertUntold()
    })
  }

  for (const [name, bytes] of BROKEN) {
    it(`is told by nothing in what is no request: ${name}`, async () => {
      await exchangeOpenly(bytes())
      assertUntold()
    })
  }

  for (const error of [
    new SafelightError({ code: "storage-unavailable", message: "down", cause: new Error("why") }),
    new SafelightError({ code: "storage-corrupt", message: "not JSON" }),
    new Error("a bug"),
  ]) {
    for (const read of READS) {
      it(`is told by nothing while ${read} fails with ${error.message}`, async () => {
        Object.assign(faults, { read, error })
        // Signed by a key that is not known, so that the keys are read.
        const unknown = link().replace(/v1\.\w{8}/, "v1.00000000")
        const text = await send({ target: read === "readLinkKeys" ? unknown : link() })
        faults.read = undefined
        // A damaged task is as good as none.
        assert.match(text, /^HTTP\/1\.1 (?:404|500|503) /)
        assertUntold()
      })
    }
  }

  it("is told by nothing where the files fail: gone, out of reach, or broken off", async () => {
    for (const code of ["artifact-missing", "artifacts-unavailable"] as const) {
      Object.assign(faults, { open: true, error: new SafelightError({ code, message: code }) })
      assert.match(await send({ target: link() }), /^HTTP\/1\.1 503 /)
    }
    Object.assign(faults, { open: false, bytes: true, error: new Error("a disk") })
    const count = service.logged.length
    // Of a small file that was not read lately all is read before the answer begins.
    assert.match(await send({ target: link() }), /^(?:HTTP\/1\.1 (?:200|500) |$)/)
    await until(() => service.logged.length > count)
    faults.bytes = false
    assertUntold()
  })

  it("is told by nothing where the account has too many requests, or is suspended", async () => {
    const account = "generated"
    const content = { requests: 1, windowMs: 60_000 }
    const rates = { create: null, read: null, content }
    const now = Date.now()
    await storage.setAccount({ id: account, now, settings: { rates } })
    for (const status of [200, 429]) {
      assert.match(await send({ target: link() }), new RegExp(`^HTTP/1\\.1 ${status} `))
    }
    const settings = { rates: { ...rates, content: null }, suspendedAt: now }
    await storage.setAccount({ id: account, now, settings })
    assert.match(await send({ target: link() }), /^HTTP\/1\.1 404 /)
    await storage.setAccount({ id: account, now, settings: { suspendedAt: 0 } })
    assertUntold()
  })

  it("is told by a listing of signed addresses to its caller alone", async () => {
    const settings = { signsContentUrls: true }
    await storage.setAccount({ id: "generated", now: Date.now(), settings })
    // The setting is believed a moment after it is stored.
    let given: string | undefined
    while (given === undefined) {
      const text = await exchange(toBytes({ target: toListing(), headers: [key()] }))
      ;[, given] = /access=([\w.-]+)/.exec(text) ?? []
    }
    assert.match(given, /^v1\.\w{8}\.\d+\.0\.[\w-]{43}$/)
    token = given
    assert.match(await send({ target: link() }), /^HTTP\/1\.1 200 /)
    assertUntold()
  })

  it("was looked for where there was something: failures are logged, each with its request", () => {
    assert.ok(service.logged.some(({ level }) => level === "error"))
    assert.ok(service.logged.some(({ level }) => level === "warn"))
    assert.ok(service.logged.every(({ fields }) => "requestId" in fields || "task" in fields))
    assert.ok(answered.length > 60)
    assert.ok(told.length > 120)
  })
})
