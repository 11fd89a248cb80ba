/**
 * `get_p99_ms_idle`, `get_p99_ms_rendering`: how long a poll takes at a modest rate, first with
 * nothing to do, then while the studio renders two videos.
 */
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { startServer } from "./child-server.ts"
import { report } from "./measure.ts"
import { pollLatency } from "./poll-latency.ts"

const DURATION_S = 6

interface Service {
  readonly url: string
  readonly key: string
}

await using folder = await createTemporaryFolder()
await using service = await startServer<Service>("studio-server", folder.path)
const { url, key } = service.announcement
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }

async function submit(): Promise<string> {
  const parameters = { prompt: "rain on a window", resolution: "720p", duration: 10 }
  const body = JSON.stringify({ model: "vendor-c/video-2.5/reference-to-video", parameters })
  const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body })
  const { task_id: id } = (await response.json()) as { task_id: string }
  return `/v1/tasks/${id}`
}

async function statusOf(path: string): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers })
  return ((await response.json()) as { status: string }).status
}

const finished = await submit()
while ((await statusOf(finished)) !== "succeeded") {
  await new Promise((resolve) => setTimeout(resolve, 200))
}
const polling = { url, headers, durationS: DURATION_S }
await pollLatency({ ...polling, path: finished })
const idle = await pollLatency({ ...polling, path: finished })
const videos = [await submit(), await submit()]
const rendering = await pollLatency({ ...polling, path: videos[0] ?? "" })
for (const path of videos) {
  if ((await statusOf(path)) === "failed") throw new Error("a video failed")
}
report({ get_p99_ms_idle: idle, get_p99_ms_rendering: rendering })
