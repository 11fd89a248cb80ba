/**
 * What streams cost. `sse_rss_kb_each`: resident memory of the service for each of 10,000 idle streams.
 * `event_to_client_p99_ms`: from the moment an event is written down to its arrival at a client, on one node,
 * while tasks are submitted one after the other; `event_to_client_across_p99_ms`: from one node to a client of
 * another, over one PostgreSQL. `stream_post_share`: what is lost of POST's throughput while
 * somebody reads the account's stream, beside the same service before; the account then has a feed.
 */
import { get, Agent, type IncomingMessage } from "node:http"
import { once } from "node:events"
import { parseArgs } from "node:util"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { startServer, type ChildServer } from "../child-server.ts"
import { median, percentile, report } from "../measure.ts"
import { openServer } from "../postgres/database.ts"
import { measurePostShare, POST_BODY, postPerS, type Caller } from "./post-share.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const STREAMS = values.quick ? 100 : 10_000
const EVENTS = values.quick ? 20 : 1_000
const ROUNDS = values.quick ? 1 : 5
const ROUND_S = values.quick ? 1 : 3
/** Opened at once: more would wait in the listener's backlog. */
const OPENING = 100

interface Service {
  readonly url: string
  /** Of an account of its own for each stream that is measured. */
  readonly keys: readonly string[]
}

const agent = new Agent({ keepAlive: false, maxSockets: Infinity })

async function open(url: string, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}` }
  const request = get(`${url}/v1/stream`, { agent, headers })
  const [response] = (await once(request, "response")) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`)
  response.setEncoding("utf8").resume()
  return response
}

async function post(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body: POST_BODY })
  if (response.status !== 202) throw new Error(`POST was answered ${response.status}`)
  await response.arrayBuffer()
}

/** Milliseconds from each event's `timestamp` to its arrival at `reader`; both are of one account. */
async function measureArrivals(reader: Caller, poster: Caller): Promise<readonly number[]> {
  const stream = await open(reader.url, reader.key)
  const delays: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let rest = ""
  stream.on("data", (text: string) => {
    const now = Date.now()
    // An event may be cut at the border of a piece.
    const events = (rest + text).split("\n\n")
    rest = events.pop() ?? ""
    for (const event of events) {
      const [, timestamp] = /"timestamp":"([^"]+)"/.exec(event) ?? []
      if (timestamp !== undefined) delays.push(now - Date.parse(timestamp))
    }
    if (delays.length >= EVENTS) resolve()
  })
  for (let count = 0; count < EVENTS; count += 1) await post(poster.url, poster.key)
  await promise
  stream.destroy()
  await once(stream, "close")
  return delays
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("stream-server", folder.path)
const { url, keys } = service.announcement
const [first = "", watched = ""] = keys

/** Bytes; undefined where the system does not tell. */
async function readRss(): Promise<number> {
  service.process.send("memory")
  const [bytes] = (await once(service.process, "message")) as [number]
  return bytes
}

// Warm, so that what every service needs is not counted as the streams'.
await postPerS({ url, key: first }, ROUND_S)
const rssBefore = await readRss()
const streams: IncomingMessage[] = []
while (streams.length < STREAMS) {
  const some = Array.from(
    { length: OPENING },
    (_, index) => keys[(streams.length + index) % keys.length],
  )
  streams.push(...(await Promise.all(some.map((key = "") => open(url, key)))))
}
const rssAfter = await readRss()
for (const stream of streams) stream.destroy()

const here = { url, key: watched }
const arrivals = await measureArrivals(here, here)

async function measureAcross(): Promise<readonly number[]> {
  await using database = await openServer(process.env["SAFELIGHT_TEST_DATABASE_URL"])
  await using reading = await startServer<Service>("stream-server", database.url)
  await using posting = await startServer<Service>("stream-server", database.url)
  const toCaller = ({ announcement }: ChildServer<Service>): Caller => ({
    url: announcement.url,
    key: announcement.keys[1] ?? "",
  })
  // Awaited here, or the servers would end before it.
  return await measureArrivals(toCaller(reading), toCaller(posting))
}

const across = await measureAcross()

await using other = await createTemporaryFolder()
await using plain = await startServer<Service>("stream-server", other.path)
const [key = "", streamed = ""] = plain.announcement.keys
const reading = await open(plain.announcement.url, streamed)
const share = await measurePostShare(
  { url: plain.announcement.url, key },
  { url: plain.announcement.url, key: streamed },
  { rounds: ROUNDS, seconds: ROUND_S },
)
reading.destroy()

report({
  sse_rss_kb_each: (rssAfter - rssBefore) / 1_024 / STREAMS,
  event_to_client_p50_ms: median(arrivals),
  event_to_client_p99_ms: percentile(arrivals, 0.99),
  event_to_client_across_p50_ms: median(across),
  event_to_client_across_p99_ms: percentile(across, 0.99),
  stream_post_share: share,
})
