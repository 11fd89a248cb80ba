/** Downloads a finished task's artifacts one after another and reports which one is at work. */
import { join, resolve } from "node:path"
import { isApiError, type Artifact, type Client } from "@safelight/client"
import { CommandError, refused } from "../errors/command-error.ts"
import { EXIT } from "../errors/exit-code.ts"
import type { Progress } from "../command-line/progress.ts"
import { toFileName } from "./artifact-name.ts"

export interface DownloadRequest {
  readonly client: Client
  readonly task: string
  readonly artifacts: readonly Artifact[]
  /** An absolute path, which `folder` may be relative to. */
  readonly base: string
  readonly folder: string
  readonly progress: Progress
}

/** The artifacts, each with the path of its `file`, relative if `folder` is. */
export async function downloadArtifacts(
  request: DownloadRequest,
): Promise<readonly (Artifact & { readonly file: string })[]> {
  const { client, task, artifacts, base, folder, progress } = request
  const saved = []
  for (const artifact of artifacts) {
    progress.report(`downloading ${artifact.key}`)
    const name = toFileName(task, artifact)
    const path = join(resolve(base, folder), name)
    // One at a time keeps the service free for others.
    await client
      .artifact(task, artifact.key)
      .saveTo(path)
      .catch((error: unknown) => {
        throw toFailure(error, artifact, path)
      })
    saved.push({ ...artifact, file: join(folder, name) })
  }
  return saved
}

/** Errors of the file system name the path, and a wrong digest its artifact. */
function toFailure(cause: unknown, { key }: Artifact, path: string): unknown {
  if (!isApiError(cause)) {
    const { code, message } = cause as NodeJS.ErrnoException
    return refused(`${path} can't be written (${code ?? message})`, cause)
  }
  if (cause.code !== "digest_mismatch") return cause
  const message = `${key} was not saved: ${cause.message}`
  return new CommandError({ exitCode: EXIT.differs, message, cause })
}
