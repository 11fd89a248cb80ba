/**
 * How long the videos are that a task refers to, which is part of its charge: measured from the media
 * before anything is bought, so that what can't be had or read fails the task while it costs nothing. A
 * video is copied into artifact storage, measured there and removed; its length stands beside the log,
 * written with the first `dispatched`, so that whoever ends the task knows it. Its channel's permit is free for
 * others meanwhile (`measuring.ts`).
 */
import {
  isFailureCode,
  isSafelightError,
  SafelightError,
  toCanonicalJson,
  traceCall,
  type Completed,
  type Input,
  type MediaInput,
  type MediaInspector,
  type MediaSource,
  type Model,
  type ParameterValues,
  type Refused,
} from "@safelight/core"
import type { Context } from "../../host/context.ts"
import { discardStored, inspectVideo } from "./inspect-stored.ts"
import { findParameters } from "../request.ts"
import { persist } from "../../record/persist.ts"
import { findInputs, MOST_INPUT_BYTES } from "./task-inputs.ts"
import type { Work } from "../work.ts"

/** The name of the input that holds the lengths: erased with the request that it tells of. */
const MEASURED_INPUT = "measured"

/** All videos of one task: 512 MiB at 14 Mbit/s. */
const MOST_BYTES = 512 * 1024 * 1024
const MEASURE_MS = 300_000
/** A server that was restarted is back by then. */
const TRIES = 3

/** What is to be written down with the purchase: nothing where it was before, or where there is no video. */
export interface MeasuredInputs {
  readonly kind: "measured"
  readonly inputs: readonly Input[]
}

/** The account has enough tasks measured here. */
export interface NotNow {
  readonly kind: "not-now"
}

/**
 * Resolves to a refusal where a video can't be had, is none or can't be read. Rejects where the machine
 * could not measure it for now.
 */
export async function measureInputs(
  context: Context,
  work: Work,
  parameters: ParameterValues,
): Promise<MeasuredInputs | NotNow | Refused> {
  const { inspector, measuring, media } = context
  const videos = findVideos(context, work, parameters)
  // Without either the lengths are whatever a channel says.
  if (inspector === undefined || media === undefined) return NOTHING
  if (videos.length === 0 || (await findInputVideosMs(context, work)) !== undefined) return NOTHING
  const attributes = { "safelight.videos": videos.length }
  const measureEach = (): Promise<readonly number[]> =>
    traceCall(context.tracer, { name: "measure inputs", attributes }, () =>
      measureAll(context, work, { inspector, media, videos }),
    )
  try {
    const inputVideosMs =
      measuring.known(work.id) ??
      (await measuring.run(work, () =>
        persist(context, measureEach, work.controller.signal, TRIES),
      ))
    if (inputVideosMs === undefined) return { kind: "not-now" }
    work.inputVideosMs = inputVideosMs
    return { kind: "measured", inputs: [toInput(context, work, inputVideosMs)] }
  } catch (error) {
    if (isSafelightError(error) && isFailureCode(error.code)) {
      return { kind: "refused", code: error.code }
    }
    throw error
  }
}

const NOTHING: MeasuredInputs = { kind: "measured", inputs: [] }

/**
 * How long the videos were that a task referred to when it was bought; what its channel says where the
 * engine measures nothing. The caller's own server may send its provider longer videos than it has sent here:
 * of each the longer one counts. Tries again while the storage fails: that must not cost a paid result.
 */
export async function toInputVideosMs(
  context: Context,
  work: Work,
  model: Model,
  { inputVideosMs: told = [] }: Completed,
): Promise<readonly number[]> {
  const { inspector, log, media } = context
  if (inspector === undefined || media === undefined) return told
  // Most models take none: nothing is read for them.
  if (!Object.values(model.media).includes("video")) return []
  const find = async (): Promise<readonly number[] | undefined> => {
    const parameters = await findParameters(context, work)
    const hasVideos = parameters === undefined || findVideos(context, work, parameters).length > 0
    return hasVideos ? findInputVideosMs(context, work) : []
  }
  const measured = await persist(context, find, work.ending.signal)
  if (measured !== undefined) return toLonger(context, work, measured, told)
  log.error({ task: work.id }, "input durations erased")
  return []
}

function toLonger(
  { log }: Context,
  work: Work,
  measuredMs: readonly number[],
  toldMs: readonly number[],
): readonly number[] {
  const longerMs = measuredMs.map((each, position) => Math.max(each, toldMs[position] ?? 0))
  if (longerMs.every((each, position) => each === measuredMs[position])) return measuredMs
  const channel = work.head.task.dispatch?.channel
  log.warn({ task: work.id, channel, measuredMs, toldMs }, "input videos longer")
  return longerMs
}

function findVideos(
  context: Context,
  work: Work,
  parameters: ParameterValues,
): readonly MediaInput[] {
  return findInputs(context, work, parameters).filter(({ kind }) => kind === "video")
}

/** In the order of the request; undefined where nothing was measured, or it was erased since. */
async function findInputVideosMs(
  { storage }: Context,
  work: Work,
): Promise<readonly number[] | undefined> {
  work.inputVideosMs ??= toLengths(await storage.readInput({ task: work.id, name: MEASURED_INPUT }))
  return work.inputVideosMs
}

function toLengths(input: Input | undefined): readonly number[] | undefined {
  return input && (JSON.parse(input.body) as { readonly videosMs: readonly number[] }).videosMs
}

function toInput({ identifiers }: Context, { id: task }: Work, videosMs: readonly number[]): Input {
  const body = toCanonicalJson({ videosMs })
  return { task, name: MEASURED_INPUT, salt: identifiers.createSalt(), body }
}

interface Measuring {
  readonly inspector: MediaInspector
  readonly media: MediaSource
  readonly videos: readonly MediaInput[]
}

async function measureAll(
  context: Context,
  work: Work,
  measuring: Measuring,
): Promise<readonly number[]> {
  const { signal } = work.controller
  try {
    return await context.deadlines.run(MEASURE_MS, signal, async (bound) => {
      const lengths: number[] = []
      let leftBytes = MOST_BYTES
      for (const video of measuring.videos) {
        // In turn: what is left of the bound is known only then.
        // oxlint-disable-next-line no-await-in-loop
        const { bytes, durationMs } = await measure(context, work, measuring, {
          url: video.url,
          maxBytes: Math.min(MOST_INPUT_BYTES.video, leftBytes),
          signal: bound,
        })
        leftBytes -= bytes
        lengths.push(durationMs)
      }
      return lengths
    })
  } catch (error) {
    if (!isSafelightError(error) || error.code !== "aborted" || signal.aborted) throw error
    const message = "the videos that a task refers to took too long together"
    throw new SafelightError({ code: "media_download_failed", message, cause: error })
  }
}

interface VideoToMeasure {
  readonly url: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

async function measure(
  { artifacts, deadlines, log }: Context,
  work: Work,
  { inspector, media }: Measuring,
  { maxBytes, signal, url }: VideoToMeasure,
): Promise<{ readonly bytes: number; readonly durationMs: number }> {
  const { body } = await media.open({ url, kinds: ["video"], maxBytes, signal })
  const stored = await artifacts.put({ task: work.id, key: "input_video", body, signal })
  try {
    const options = { account: work.head.task.account, kind: "video", signal } as const
    const durationMs = await inspectVideo({ artifacts, inspector }, stored, options)
    return { bytes: stored.bytes, durationMs }
  } finally {
    await discardStored({ artifacts, deadlines, log }, work.id, stored.locator)
  }
}
