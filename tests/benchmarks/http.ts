/**
 * `post_ratio`, `get_ratio`: the task API's throughput over that of a bare Hono server answering
 * the same, in the same run, with a key, every limit and (POST) an Idempotency-Key: all take turns,
 * and the middle of the ratios counts. The shares are what is lost to each, beside an account
 * without limits and a POST without the key.
 */
import autocannon, { type AutocannonRequest } from "autocannon"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
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
  readonly url: string
  readonly requests: readonly AutocannonRequest[]
}

async function throughput({ url, requests }: Contestant): Promise<number> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: ROUND_S, requests })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  return result.requests.average
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

/** The throughput of each contestant, round by round; the first round warms up and is dropped. */
async function race<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
): Promise<Readonly<Record<Name, number>>[]> {
  const names = Object.keys(contestants) as Name[]
  const rounds: Record<Name, number>[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    const speeds: (readonly [Name, number])[] = []
    for (const name of names) speeds.push([name, await throughput(contestants[name])])
    if (round > 0) rounds.push(Object.fromEntries(speeds) as Record<Name, number>)
  }
  return rounds
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("service-server", folder.path)
await using bare = await startServer<{ url: string }>("bare-server")
const { url, plain, limited } = service.announcement
const { url: bareUrl } = bare.announcement

const gets = await race({
  plain: { url, requests: toGets(plain) },
  limited: { url, requests: toGets(limited) },
  bare: { url: bareUrl, requests: toGets(limited) },
})
const posts = await race({
  plain: { url, requests: toPost(plain) },
  limited: { url, requests: toPost(limited) },
  keyed: { url, requests: toPost(limited, true) },
  bare: { url: bareUrl, requests: toPost(limited, true) },
})
report({
  get_ratio: median(gets.map((each) => each.limited / each.bare)),
  get_limits_share: median(gets.map((each) => 1 - each.limited / each.plain)),
  get_per_s: median(gets.map((each) => each.limited)),
  get_bare_per_s: median(gets.map((each) => each.bare)),
  post_ratio: median(posts.map((each) => each.keyed / each.bare)),
  post_limits_share: median(posts.map((each) => 1 - each.limited / each.plain)),
  post_idempotency_share: median(posts.map((each) => 1 - each.keyed / each.limited)),
  post_per_s: median(posts.map((each) => each.keyed)),
  post_bare_per_s: median(posts.map((each) => each.bare)),
})
