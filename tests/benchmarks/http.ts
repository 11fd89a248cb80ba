/**
 * `post_ratio`, `get_ratio`: the task API's throughput over that of a bare Hono server answering
 * the same, in the same run: the two take turns, and the middle of the ratios counts.
 */
import autocannon, { type AutocannonRequest } from "autocannon"
import { SAMPLE_REQUEST } from "../support/sample-request.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
import { median, report } from "./measure.ts"

const CONNECTIONS = 64
const ROUNDS = 5
const ROUND_S = 3

interface Service {
  readonly url: string
  readonly ids: readonly string[]
  readonly key: string
}

async function throughput(url: string, requests: readonly AutocannonRequest[]): Promise<number> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: ROUND_S, requests })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`)
  }
  return result.requests.average
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("service-server", folder.path)
await using bare = await startServer<{ url: string }>("bare-server")
const { url, ids, key } = service.announcement
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
const { model, parameters } = SAMPLE_REQUEST
const body = JSON.stringify({ model, parameters })
const posts = [{ method: "POST", path: "/v1/tasks", headers, body }] as const
const gets = ids.map((id) => ({ method: "GET", path: `/v1/tasks/${id}`, headers }) as const)

/** Median throughput of service and bare server, and of their ratios. */
async function compare(requests: readonly AutocannonRequest[]) {
  await throughput(url, requests)
  await throughput(bare.announcement.url, requests)
  const rounds: { readonly own: number; readonly limit: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = await throughput(url, requests)
    rounds.push({ own, limit: await throughput(bare.announcement.url, requests) })
  }
  return {
    own: median(rounds.map((each) => each.own)),
    limit: median(rounds.map(({ limit }) => limit)),
    ratio: median(rounds.map((each) => each.own / each.limit)),
  }
}

const get = await compare(gets)
const post = await compare(posts)
report({
  get_ratio: get.ratio,
  get_per_s: get.own,
  get_bare_per_s: get.limit,
  post_ratio: post.ratio,
  post_per_s: post.own,
  post_bare_per_s: post.limit,
})
