/**
 * Finished and unfinished tasks in a data folder, made by the real engine over a channel that
 * reports whatever durations a test asks for: nothing is rendered. The folder is free again once
 * they are recorded, so that a service can be started on it.
 */
import assert from "node:assert/strict"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { MODELS, type PriceBook, type SubmitOutcome } from "@safelight/core"
import { createEngine, type Engine } from "@safelight/engine"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createScriptedChannel } from "@safelight/testkit"

export const PICTURE = "vendor-a/v4.1/flash/text-to-image"
export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"

export interface Recording {
  readonly model: string
  readonly parameters?: Readonly<Record<string, unknown>>
  /** What the channel makes of it; absent: it is left in the queue. */
  readonly outcome?: SubmitOutcome
}

export interface RecordOptions {
  readonly account?: string
  readonly prices?: PriceBook
}

/** Resolves to the ids in order; those that stay in the queue come after all others. */
export async function recordTasks(
  data: string,
  recordings: readonly Recording[],
  { account = "default", prices }: RecordOptions = {},
): Promise<readonly string[]> {
  await mkdir(join(data, "artifacts"), { recursive: true })
  const storage = await createSqliteStorage({ folder: data, mode: "serve" })
  const artifacts = createFilesystemArtifacts({ folder: join(data, "artifacts") })
  const channel = createScriptedChannel({ models: MODELS.map(({ id }) => id) })
  const ports = { storage, artifacts, channels: [channel], ...(prices && { prices }) }
  const [working, idle] = [createEngine(ports), createEngine(ports)]
  const ids: string[] = []
  const submit = async (engine: Engine, { model, parameters }: Recording): Promise<string> => {
    const request = { account, model, parameters: parameters ?? { prompt: "fog" } }
    const result = await engine.submit(request)
    assert.ok(result.kind === "submitted", JSON.stringify(result))
    ids.push(result.task.id)
    return result.task.id
  }
  working.start()
  try {
    for (const recording of recordings.filter(({ outcome }) => outcome !== undefined)) {
      if (recording.outcome !== undefined) channel.willSubmit(recording.outcome)
      await working.finished(await submit(working, recording))
    }
    await working.stop()
    for (const recording of recordings.filter(({ outcome }) => outcome === undefined)) {
      await submit(idle, recording)
    }
  } finally {
    await working.stop()
    await idle.stop()
    await storage.close()
  }
  return ids
}

/** Pictures of a few bytes. */
export function pictures(count: number): SubmitOutcome {
  const outputs = Array.from({ length: count }, () => ({ mimeType: "image/png", open: once }))
  return { kind: "completed", outputs }
}

/** An edit with this many pictures for its result: no other model of images makes more than one. */
export function edit(count: number): Recording {
  const image = "data:image/png;base64,iVBORw0KGgo="
  const parameters = { prompt: "fog", image_urls: [image], count }
  return { model: EDIT, parameters, outcome: pictures(count) }
}

/** A video, and the videos that it was edited from, of these durations. */
export function video(durationMs: number, inputVideosMs: readonly number[] = []): SubmitOutcome {
  const outputs = [{ mimeType: "video/mp4", open: once, durationMs }]
  return { kind: "completed", outputs, inputVideosMs }
}

async function* once(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(64).fill(7)
}
