/** Downloads a finished task's artifacts one after another, and says how it goes. */
import { basename, join, resolve } from "node:path"
import type { Progress } from "../progress.ts"
import { saveArtifact } from "./artifact-file.ts"
import type { TaskClient } from "./task-client.ts"
import type { ArtifactRecord } from "./task-records.ts"

export interface DownloadRequest {
  readonly client: TaskClient
  readonly task: string
  readonly artifacts: readonly ArtifactRecord[]
  /** What `folder` is relative to. */
  readonly base: string
  readonly folder: string
  readonly progress: Progress
}

/** The artifacts, each with the path of its `file`, relative if `folder` is. */
export async function downloadArtifacts(
  request: DownloadRequest,
): Promise<readonly (ArtifactRecord & { readonly file: string })[]> {
  const { client, task, artifacts, base, folder, progress } = request
  const saved = []
  for (const artifact of artifacts) {
    progress.report(`downloading ${artifact.key}`)
    // oxlint-disable-next-line no-await-in-loop -- one at a time keeps the service free for others
    const response = await client.content(task, artifact.key)
    // oxlint-disable-next-line no-await-in-loop
    const path = await saveArtifact({ folder: resolve(base, folder), task, artifact, response })
    saved.push({ ...artifact, file: join(folder, basename(path)) })
  }
  return saved
}
