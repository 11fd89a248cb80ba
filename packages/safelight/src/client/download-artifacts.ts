/** Downloads a finished task's artifacts one after another, and says how it goes. */
import type { Progress } from "../progress.ts"
import { saveArtifact } from "./artifact-file.ts"
import type { TaskClient } from "./task-client.ts"
import type { ArtifactRecord } from "./task-records.ts"

export interface DownloadRequest {
  readonly client: TaskClient
  readonly task: string
  readonly artifacts: readonly ArtifactRecord[]
  readonly folder: string
  readonly progress: Progress
}

/** The artifacts, each with the path of its `file`. */
export async function downloadArtifacts(
  request: DownloadRequest,
): Promise<readonly (ArtifactRecord & { readonly file: string })[]> {
  const { client, task, artifacts, folder, progress } = request
  const saved = []
  for (const artifact of artifacts) {
    progress.report(`downloading ${artifact.key}`)
    // oxlint-disable-next-line no-await-in-loop -- one at a time keeps the service free for others
    const response = await client.content(task, artifact.key)
    // oxlint-disable-next-line no-await-in-loop
    const file = await saveArtifact({ folder, task, artifact, response })
    saved.push({ ...artifact, file })
  }
  return saved
}
