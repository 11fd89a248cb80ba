/**
 * `get_p99_ms_during_usage`: what 99 in 100 polls of a task take while 40 callers ask for the usage of
 * an account with 1,000,000 charges, again and again; `get_p99_ms_without_usage`: the same while nobody
 * does. `usage_per_s`: how many of the 40 callers' questions are answered meanwhile.
 */
import { setTimeout } from "node:timers/promises"
import autocannon from "autocannon"
import { startServer } from "../child-server.ts"
import { pollLatency } from "../poll-latency.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { toScale } from "./scale.ts"

const CALLERS = 40
/** Before the polls: so that they meet all callers at work. */
const LEAD_MS = 1_000

interface Service {
  readonly url: string
  readonly key: string
  readonly id: string
}

const { charges, pollsMs } = toScale(process.argv)
await using database = await createDatabase("usage")
await using server = await startServer<Service>("postgres-server", database.url)
const { url, key, id } = server.announcement
await database.query(`
  insert into charges (task, account, at, billed_input_ms, charge_micros, images, model,
    output_video_ms, price_version)
  select convert_to('charged-' || n, 'UTF8'), 'heavy', n, 0, 10000, 1, 'model-' || n % 3, 0, 'v1'
  from generate_series(1, ${charges}) as n`)
await database.query("vacuum analyze charges")

const headers = { authorization: `Bearer ${key}` }
const durationS = Math.ceil(pollsMs / 1_000)
const polling = { url, path: `/v1/tasks/${id}`, headers, durationS }
// The first warms up and is dropped.
await pollLatency({ ...polling, durationS: 1 })
const before = await pollLatency(polling)
const asking = autocannon({
  url,
  connections: CALLERS,
  duration: durationS + Math.ceil((2 * LEAD_MS) / 1_000),
  timeout: 60,
  requests: [{ method: "GET", path: "/v1/usage", headers }],
})
await setTimeout(LEAD_MS)
const during = await pollLatency(polling)
const asked = await asking
if (asked.non2xx > 0 || asked.errors > 0) throw new Error("a question for usage failed")

reportFigures({
  get_p99_ms_without_usage: before,
  get_p99_ms_during_usage: during,
  usage_per_s: asked.requests.average,
})
