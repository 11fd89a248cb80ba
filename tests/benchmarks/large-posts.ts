/**
 * `get_p99_ms_during_large_posts`: how long a poll takes at a modest rate while a client posts
 * bodies of 61 MiB back to back, beside `get_p99_ms_before_large_posts` of the same run. The
 * server's longest blocks are of its event loop, where every other request waits meanwhile;
 * `large_post_main_thread_ms` is what a body costs there in all, beyond the polls.
 */
import { once } from "node:events"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer, type ChildServer } from "./child-server.ts"
import type { PosterSettings } from "./large-poster.ts"
import { report } from "./measure.ts"
import { pollLatency } from "./poll-latency.ts"

const MEBIBYTE = 1024 * 1024
const DURATION_S = 10
/** Three of them are 61 MiB in base64, below the 64 MiB that a body may have. */
const IMAGE_BYTES = 15.25 * MEBIBYTE

interface Service {
  readonly url: string
  readonly key: string
  readonly id: string
}

interface ServerState {
  readonly longestBlockMs: number
  /** Of the thread that serves. */
  readonly cpuMs: number
  readonly rssBytes: number
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("large-posts-server", folder.path)
const { url, key, id } = service.announcement
const headers = { authorization: `Bearer ${key}` }

const polling = { url, path: `/v1/tasks/${id}`, headers, durationS: DURATION_S }

/** Of the time since it was asked last. */
async function readState({ process: child }: ChildServer<Service>): Promise<ServerState> {
  child.send("state")
  const [state] = (await once(child, "message")) as [ServerState]
  return state
}

await pollLatency(polling)
await readState(service)
const before = await pollLatency(polling)
const idle = await readState(service)
const settings: PosterSettings = { url, key, imageBytes: IMAGE_BYTES }
const poster = new Worker(join(import.meta.dirname, "large-poster.ts"), { workerData: settings })
await once(poster, "message")
await readState(service)
const startedAt = performance.now()
const during = await pollLatency(polling)
const busy = await readState(service)
poster.postMessage("stop", [])
const [{ posted }] = (await once(poster, "message")) as [{ posted: number }]
const seconds = (performance.now() - startedAt) / 1000
const tail = await readState(service)
const ownCpuMs = busy.cpuMs + tail.cpuMs - (idle.cpuMs / DURATION_S) * seconds
report({
  get_p99_ms_before_large_posts: before,
  get_p99_ms_during_large_posts: during,
  longest_block_ms_before_large_posts: idle.longestBlockMs,
  longest_block_ms_during_large_posts: busy.longestBlockMs,
  large_post_main_thread_ms: ownCpuMs / (posted - 1),
  large_posts_per_s: (posted - 1) / seconds,
  rss_mb_during_large_posts: busy.rssBytes / MEBIBYTE,
})
