/**
 * `other_account_get_p99_slowdown`: how much longer another account's GETs take, by their 99th percentile,
 * while one account asks for `HOLDS` holds of one task, each later than the one before, and reads the task's
 * events meanwhile. Both are measured in turns, so that what else the machine does is in both; the figure is
 * of the medians. `bare_get_p99_slowdown` is the same of a bare server that does nothing but answer: where the
 * asker, the watcher and the server share few processors, it is what no service can go below.
 * `holds_recorded` is how many of the holds became events.
 */
import { once } from "node:events"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { HoldAskerSettings } from "./hold-asker.ts"
import { startServer } from "./child-server.ts"
import { createTasks, PICTURE, type HostileServer, type HostileService } from "./hostile-tasks.ts"
import { median, percentile } from "./measure.ts"

const HOLDS = 26_000
const ROUNDS = 5
/** GETs a second: a page or two that watch their tasks. */
const GETS_PER_S = 100
/** Of a round without holds. */
const ALONE_MS = 4_000

export async function measureHolds({
  announcement: { url, hostile, other },
}: HostileServer): Promise<Record<string, number>> {
  const [held = "", watched = ""] = await Promise.all(
    [hostile, other].map(async (key) => {
      const tasks = createTasks(url, key)
      const id = (await tasks.post(PICTURE, { prompt: "a lighthouse in the fog" })) ?? ""
      if ((await tasks.finish(id)) === "failed") throw new Error("a picture failed")
      return id
    }),
  )
  const service = await compare({ url, hostile, other, held, watched })
  await using bare = await startServer<{ readonly url: string }>("bare-server")
  const floor = await compare({ url: bare.announcement.url, hostile, other, held, watched })
  return {
    other_account_get_p99_slowdown: service.besideMs / service.aloneMs,
    other_account_get_p99_ms_alone: service.aloneMs,
    other_account_get_p99_ms_beside_holds: service.besideMs,
    bare_get_p99_slowdown: floor.besideMs / floor.aloneMs,
    bare_get_p99_ms_alone: floor.aloneMs,
    bare_get_p99_ms_beside_holds: floor.besideMs,
    holds_recorded: await countHolds(url, hostile, held),
  }
}

interface Compared extends HostileService {
  /** The task that is held. */
  readonly held: string
  /** The other account's. */
  readonly watched: string
}

/** The medians of the rounds' 99th percentiles, in ms. */
async function compare({
  url,
  hostile,
  other,
  held,
  watched,
}: Compared): Promise<{ readonly aloneMs: number; readonly besideMs: number }> {
  const settings: HoldAskerSettings = { url, key: hostile, id: held, holds: HOLDS, rounds: ROUNDS }
  const asker = new Worker(join(import.meta.dirname, "hold-asker.ts"), { workerData: settings })
  const path = `/v1/tasks/${watched}`
  const alone: number[] = []
  const beside: number[] = []
  // The first is there to warm up.
  await watch({ url, path, key: other }, setTimeout(ALONE_MS))
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await watch({ url, path, key: other }, setTimeout(ALONE_MS)))
    const asked = once(asker, "message")
    asker.postMessage("ask", [])
    beside.push(await watch({ url, path, key: other }, asked))
  }
  await asker.terminate()
  return { aloneMs: median(alone), besideMs: median(beside) }
}

interface Watching {
  readonly url: string
  readonly path: string
  readonly key: string
}

/** The 99th percentile in ms of the GETs that are sent until `over` resolves, however long each takes. */
async function watch({ url, path, key }: Watching, over: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const headers = { authorization: `Bearer ${key}` }
  const ended = new AbortController()
  const times: Promise<number>[] = []
  async function send(): Promise<void> {
    while (!ended.signal.aborted) {
      times.push(timeGet(`${url}${path}`, headers, agent))
      await setTimeout(1_000 / GETS_PER_S)
    }
  }
  const sending = send()
  await over
  ended.abort()
  await sending
  const all = await Promise.all(times)
  agent.destroy()
  return percentile(all, 0.99)
}

async function timeGet(
  address: string,
  headers: Record<string, string>,
  agent: Agent,
): Promise<number> {
  const sentAt = performance.now()
  await read(address, headers, agent)
  return performance.now() - sentAt
}

function read(address: string, headers: Record<string, string>, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = get(address, { headers, agent }, (answer) => {
      answer.resume().once("end", () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`a GET was answered ${answer.statusCode}`))
      })
    })
    call.once("error", reject)
  })
}

async function countHolds(url: string, key: string, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/v1/tasks/${id}/events`, { headers })
  const { events } = (await response.json()) as { events: readonly { readonly type: string }[] }
  return events.filter(({ type }) => type === "held").length
}
