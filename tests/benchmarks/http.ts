/**
 * `post_ratio`, `get_ratio`: the task API's throughput over that of a bare Hono server answering
 * the same, in the same run, with a key, every limit and (POST) an Idempotency-Key: all take turns,
 * and the middle of the ratios counts. The shares are what is lost to each, beside an account
 * without limits and a POST without the key.
 */
import autocannon, { type AutocannonRequest } from "autocannon"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer, type ChildServer } from "./child-server.ts"
import { median, report } from "./measure.ts"

const CONNECTIONS = 64
const ROUNDS = 5
const ROUND_S = 3

interface Caller {
  readonly key: string
  readonly ids: readonly string[]
}

interface Service {
  readonly url: string
  readonly plain: Caller
  readonly limited: Caller
}

interface Contestant {
  readonly server: ChildServer<{ readonly url: string }>
  readonly requests: readonly AutocannonRequest[]
}

interface Round {
  readonly perS: number
  /** Of a request: the server's and the client's. */
  readonly cpuMicros: number
}

async function runRound({ server, requests }: Contestant): Promise<Round> {
  const { url } = server.announcement
  const before = await server.cpuMicros()
  const clientBefore = process.cpuUsage()
  const result = await autocannon({ url, connections: CONNECTIONS, duration: ROUND_S, requests })
  const client = process.cpuUsage(clientBefore)
  const cpuMicros = (await server.cpuMicros()) - before + client.user + client.system
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  return { perS: result.requests.average, cpuMicros: cpuMicros / result.requests.total }
}

function toGets({ key, ids }: Caller): readonly AutocannonRequest[] {
  const headers = { authorization: `Bearer ${key}` }
  return ids.map((id) => ({ method: "GET", path: `/v1/tasks/${id}`, headers }))
}

const { model, parameters } = SAMPLE_REQUEST
const body = JSON.stringify({ model, parameters })
let keysUsed = 0

function toPost({ key }: Caller, hasIdempotencyKey = false): readonly AutocannonRequest[] {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  // The same work for the client, whichever header it makes.
  const name = hasIdempotencyKey ? "idempotency-key" : "x-benchmark"
  function setupRequest(request: AutocannonRequest): AutocannonRequest {
    keysUsed += 1
    return { ...request, headers: { ...headers, [name]: `benchmark ${keysUsed}` } }
  }
  return [{ method: "POST", path: "/v1/tasks", headers, body, setupRequest }]
}

/** What each contestant did, round by round; the first round warms up and is dropped. */
async function race<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
): Promise<Readonly<Record<Name, Round>>[]> {
  const names = Object.keys(contestants) as Name[]
  const rounds: Record<Name, Round>[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const results: (readonly [Name, Round])[] = []
    for (const name of names) results.push([name, await runRound(contestants[name])])
    if (round > 0) rounds.push(Object.fromEntries(results) as Record<Name, Round>)
  }
  return rounds
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("service-server", folder.path)
await using bare = await startServer<{ url: string }>("bare-server")
const { plain, limited } = service.announcement

const gets = await race({
  plain: { server: service, requests: toGets(plain) },
  limited: { server: service, requests: toGets(limited) },
  bare: { server: bare, requests: toGets(limited) },
})
const posts = await race({
  plain: { server: service, requests: toPost(plain) },
  limited: { server: service, requests: toPost(limited) },
  keyed: { server: service, requests: toPost(limited, true) },
  bare: { server: bare, requests: toPost(limited, true) },
})
report({
  get_ratio: median(gets.map((each) => each.limited.perS / each.bare.perS)),
  get_limits_share: median(gets.map((each) => 1 - each.limited.perS / each.plain.perS)),
  get_per_s: median(gets.map((each) => each.limited.perS)),
  get_bare_per_s: median(gets.map((each) => each.bare.perS)),
  get_cpu_us: median(gets.map((each) => each.limited.cpuMicros)),
  get_bare_cpu_us: median(gets.map((each) => each.bare.cpuMicros)),
  post_ratio: median(posts.map((each) => each.keyed.perS / each.bare.perS)),
  post_limits_share: median(posts.map((each) => 1 - each.limited.perS / each.plain.perS)),
  post_idempotency_share: median(posts.map((each) => 1 - each.keyed.perS / each.limited.perS)),
  post_per_s: median(posts.map((each) => each.keyed.perS)),
  post_bare_per_s: median(posts.map((each) => each.bare.perS)),
  post_cpu_us: median(posts.map((each) => each.keyed.cpuMicros)),
  post_bare_cpu_us: median(posts.map((each) => each.bare.cpuMicros)),
})
