/**
 * The places where a creation's body can be read, asked at once: what one answers, and what its
 * service is asked, must be what every other does. Only the thread's service is asked for what is
 * checked and sealed already.
 */
import { createAccess } from "@safelight/access"
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import {
  findSealedParameters,
  MODELS,
  sealParameters,
  withSealedParameters,
  type DigestPart,
  type SubmitRequest,
} from "@safelight/core"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"
import { creation, createWorld, type Call } from "./worlds.ts"

export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

interface Place {
  readonly requests: SubmitRequest[]
  readonly ask: (call: Call) => Promise<Seen>
}

/** In place; in a thread; in a thread of a server whose models are its host's own. */
export async function openPlaces(settings = {}) {
  const inPlace = await createWorld("in process", { settings })
  const inThread = await createWorld("over a socket", { settings })
  const { service, requests } = createFakeService()
  const { storage, keys } = createFakeStorage()
  const own = createHttpHandler({
    service,
    access: createAccess({ storage, service, clock: createManualClock() }),
    clock: createManualClock(),
    publicUrl: () => "https://media.example/",
    models: MODELS.map((model) => ({ ...model })),
    settings,
  })
  const server = await createNodeServer({ handler: own })
  const url = `${server.url}/v1/tasks`
  const authorization = `Bearer ${keys.add()}`
  return {
    inPlace: toPlace(inPlace.fake.requests, (call) => inPlace.call("/v1/tasks", call)),
    inThread: toPlace(inThread.fake.requests, (call) => inThread.call("/v1/tasks", call)),
    ownModels: toPlace(requests, ({ body, ...call }) =>
      fetch(url, { ...call, body: body as string, headers: { ...call.headers, authorization } }),
    ),
    async [Symbol.asyncDispose]() {
      await Promise.all([inPlace.close(), inThread.close(), server.close({ graceMs: 0 })])
    },
  }
}

type Places = Awaited<ReturnType<typeof openPlaces>>

function toPlace(requests: SubmitRequest[], call: (call: Call) => Promise<Response>): Place {
  const own = ["date", "x-request-id", "connection", "keep-alive", "transfer-encoding"]
  return {
    requests,
    async ask(asked) {
      const response = await call(asked)
      const headers = [...response.headers].filter(([name]) => !own.includes(name))
      const text = await response.text()
      return { status: response.status, headers: Object.fromEntries(headers), text }
    },
  }
}

/** Asks everywhere; the answer, once all agree on it and the service was asked the same. */
export async function compare(places: Places, body: unknown, key?: string): Promise<Seen> {
  const { headers, ...call } = creation(body)
  const asked = { ...call, headers: { ...headers, ...(key && { "idempotency-key": key }) } }
  const [expected, inThread, ownModels] = await Promise.all(
    [places.inPlace, places.inThread, places.ownModels].map(async ({ requests, ask }) => {
      requests.length = 0
      return { seen: await ask(asked), request: requests[0] }
    }),
  )
  assert.ok(expected !== undefined && inThread !== undefined && ownModels !== undefined)
  const { "content-length": _length, ...plain } = inThread.seen.headers
  assert.deepEqual({ ...inThread.seen, headers: plain }, withoutLength(expected.seen))
  assert.deepEqual(withoutLength(ownModels.seen), withoutLength(expected.seen))
  assert.deepEqual(ownModels.request, expected.request)
  checkSealed(inThread.request, expected.request)
  return expected.seen
}

function withoutLength({ headers, ...seen }: Seen): Seen {
  const { "content-length": _length, ...plain } = headers
  return { ...seen, headers: plain }
}

/** A thread hands on what is valid as it is to be stored, and leaves the rest of no known model. */
function checkSealed(actual: SubmitRequest | undefined, expected: SubmitRequest | undefined): void {
  const model = MODELS.find(({ id }) => id === expected?.model)
  const check = model?.check(expected?.parameters)
  if (expected === undefined || check === undefined) return assert.deepEqual(actual, expected)
  if (check.kind === "invalid") return assert.equal(actual, undefined)
  const { parameters } = check
  assert.ok(model !== undefined)
  const salt = findSealedParameters(actual ?? {}, model)?.salt ?? ""
  assert.match(salt, /^[0-9a-f]{32}$/)
  const sealed = sealParameters(sha256, salt, parameters)
  assert.deepEqual(
    actual,
    withSealedParameters({ ...expected, parameters: { ...parameters } }, sealed, model),
  )
}

function sha256(parts: readonly DigestPart[]): string {
  const all = parts.map((part) =>
    typeof part === "string" ? Buffer.from(part) : Buffer.from(part.hex, "hex"),
  )
  return createHash("sha256").update(Buffer.concat(all)).digest("hex")
}
