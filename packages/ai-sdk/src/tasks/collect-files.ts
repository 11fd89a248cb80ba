/**
 * The files of finished tasks, and what the SDK passes on about each. Bytes are whole and checked against their
 * digest. What is only told beside them never costs the caller a file that is paid for: if it can't be had, a
 * warning says so.
 */
import type { JSONObject, SharedV4Warning } from "@ai-sdk/provider"
import { ApiError, isApiError, type Artifact, type ClientTask } from "@safelight/client"
import type { Call } from "../calls/open-call.ts"

/** An entry of `providerMetadata.safelight.images` or `.videos`. */
export type MadeFile = {
  readonly key: string
  readonly mimeType: string
  /** Unix seconds, from which on the service has the file no longer. */
  readonly expiresAt?: number
  /** A private link, valid for a day: whoever has it can open the file. Absent without the scope `links:write`. */
  readonly url?: string
  /** Unix seconds. */
  readonly urlExpiresAt?: number
  /** The task that made it, perhaps with others. */
  readonly task: {
    readonly id: string
    /** Micro-units, of all files of the task together. */
    readonly chargeMicros?: number
    /** As the service's operator calls it. */
    readonly currency?: string
  }
}

export interface Collected {
  readonly files: readonly {
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly mimeType: string
    readonly made: MadeFile
  }[]
  readonly warnings: readonly SharedV4Warning[]
}

/** Rejects with the failure of the first task that failed, or as the client does. */
export async function collectFiles(
  call: Call,
  tasks: readonly ClientTask[],
  type: "image" | "video",
): Promise<Collected> {
  for (const task of tasks) if (task.status === "failed") throw toFailure(task)
  const warnings: SharedV4Warning[] = []
  const files = await Promise.all(
    tasks.map(async (task) => {
      const [artifacts, charge] = await Promise.all([
        task.artifacts({ signal: call.signal }),
        readCharge(call, task, warnings),
      ])
      return Promise.all(
        artifacts.filter(isOf(type)).map(async (artifact) => {
          const [blob, link] = await Promise.all([
            task.artifact(artifact.key).blob({ signal: call.signal }),
            makeLink(call, task, artifact, warnings),
          ])
          const made = { ...toMade(artifact), ...link, task: { id: task.task_id, ...charge } }
          return {
            bytes: new Uint8Array(await blob.arrayBuffer()),
            mimeType: artifact.mime_type,
            made,
          }
        }),
      )
    }),
  )
  return { files: files.flat(), warnings }
}

/** The SDK's type of metadata is JSON, without `undefined`: these objects have no such members. */
export function toMetadata(files: Collected["files"]): JSONObject[] {
  return files.map(({ made }) => made as JSONObject)
}

function isOf(type: Artifact["type"]): (artifact: Artifact) => boolean {
  return (artifact) => artifact.type === type
}

function toMade({ key, mime_type: mimeType, expires_at: expiresAt }: Artifact) {
  return { key, mimeType, ...(expiresAt !== undefined && { expiresAt }) }
}

async function readCharge(
  { client, signal }: Call,
  { task_id: id }: ClientTask,
  warnings: SharedV4Warning[],
): Promise<Partial<MadeFile["task"]>> {
  try {
    const { charge_micros: chargeMicros, currency } = await client.taskUsage(id, { signal })
    return { chargeMicros, ...(currency !== undefined && { currency }) }
  } catch (error) {
    warnings.push(toWarning(`what task ${id} costs`, error, signal))
    return {}
  }
}

async function makeLink(
  { signal }: Call,
  task: ClientTask,
  { key }: Artifact,
  warnings: SharedV4Warning[],
): Promise<Pick<MadeFile, "url" | "urlExpiresAt">> {
  try {
    const { url, expires_at: urlExpiresAt } = await task.artifact(key).link({ signal })
    return { url, urlExpiresAt }
  } catch (error) {
    // Links are for keys that may make them.
    if (isApiError(error) && error.code === "insufficient_scope") return {}
    warnings.push(toWarning(`a private link to ${key} of task ${task.task_id}`, error, signal))
    return {}
  }
}

/** Throws anything but a refusal or a lost answer. */
function toWarning(what: string, error: unknown, signal: AbortSignal | undefined): SharedV4Warning {
  signal?.throwIfAborted()
  if (!isApiError(error)) throw error
  return { type: "other", message: `${what} can't be told: ${error.message}` }
}

function toFailure(task: ClientTask): ApiError {
  const { message, type, code } = task.error ?? {
    message: "The task failed.",
    type: "generation_error",
    code: "internal_error",
  }
  return new ApiError({ message, type, code, task })
}
