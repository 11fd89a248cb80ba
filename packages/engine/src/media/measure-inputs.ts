/**
 * How long the videos are that a task refers to, which is part of its charge: measured from the media
 * before anything is bought, so that what can't be had or read fails the task while it costs nothing. A
 * video is copied into artifact storage and measured there; its length, and where the copy of a caller's own is
 * kept for the provider (`video-copies.ts`), are stored next to the log, written with the first `dispatched`, so that
 * the process that ends the task knows it. Its channel's permit is free for others meanwhile (`measuring.ts`).
 */
import {
  isDataUrl,
  isFailureCode,
  isSafelightError,
  SafelightError,
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
import type { Context } from "../host/context.ts"
import { discardStored, inspectTimed } from "./inspect-stored.ts"
import { findParameters } from "../record/request-input.ts"
import { toMeasuredInput, type MeasuredVideo } from "../record/measured-input.ts"
import { persist } from "../record/persist.ts"
import { findInputs, MOST_INPUT_BYTES } from "./task-inputs.ts"
import { discardCopies, findMeasured } from "./video-copies.ts"
import type { Work } from "../work/work.ts"

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
  const { identifiers, inspector, measuring, media } = context
  const videos = findVideos(context, work, parameters)
  // Without either the lengths are whatever a channel says.
  if (inspector === undefined || media === undefined) return NOTHING
  if (videos.length === 0 || (await findMeasured(context, work)) !== undefined) return NOTHING
  const attributes = { "safelight.videos": videos.length }
  const measureEach = (): Promise<readonly MeasuredVideo[]> =>
    traceCall(context.tracer, { name: "measure inputs", attributes }, () =>
      measureAll(context, work, { inspector, media, videos }),
    )
  try {
    const measured =
      measuring.known(work.id) ??
      (await measuring.run(work, () =>
        persist(context, measureEach, work.controller.signal, TRIES),
      ))
    if (measured === undefined) return { kind: "not-now" }
    work.measured = measured
    return { kind: "measured", inputs: [toMeasuredInput(identifiers, work.id, measured)] }
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
  const find = async (): Promise<readonly MeasuredVideo[] | undefined> => {
    const parameters = await findParameters(context, work)
    const hasVideos = parameters === undefined || findVideos(context, work, parameters).length > 0
    return hasVideos ? findMeasured(context, work) : []
  }
  const measured = await persist(context, find, work.ending.signal)
  if (measured !== undefined) {
    const measuredMs = measured.map(({ durationMs }) => durationMs)
    return toLonger(context, work, measuredMs, told)
  }
  // Erased, or lost with the commit that wrote them: what the channel says it processed is all that is known.
  log.error({ task: work.id, toldMs: told }, "input durations lost")
  return told
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

interface Measuring {
  readonly inspector: MediaInspector
  readonly media: MediaSource
  readonly videos: readonly MediaInput[]
}

async function measureAll(
  context: Context,
  work: Work,
  measuring: Measuring,
): Promise<readonly MeasuredVideo[]> {
  const { signal } = work.controller
  // Once each: of a video that is named twice the provider gets one copy.
  const byUrl = new Map<string, MeasuredVideo>()
  try {
    return await context.deadlines.run(MEASURE_MS, signal, async (bound) => {
      let leftBytes = MOST_BYTES
      for (const { url } of measuring.videos) {
        if (byUrl.has(url)) continue
        // In turn: what is left of the bound is known only then.
        // oxlint-disable-next-line no-await-in-loop
        const { bytes, video } = await measure(context, work, measuring, {
          url,
          maxBytes: Math.min(MOST_INPUT_BYTES.video, leftBytes),
          signal: bound,
        })
        leftBytes -= bytes
        byUrl.set(url, video)
      }
      return measuring.videos.flatMap(({ url }) => byUrl.get(url) ?? [])
    })
  } catch (error) {
    await discardCopies(context, work.id, [...byUrl.values()])
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

/** What the request itself holds can't change, and is served from there: its copy is removed at once. */
async function measure(
  { artifacts, deadlines, log }: Context,
  work: Work,
  { inspector, media }: Measuring,
  { maxBytes, signal, url }: VideoToMeasure,
): Promise<{ readonly bytes: number; readonly video: MeasuredVideo }> {
  const { body, mimeType } = await media.open({ url, kinds: ["video"], maxBytes, signal })
  const stored = await artifacts.put({ task: work.id, key: "input_video", body, signal })
  const { bytes, locator } = stored
  const discard = (): Promise<void> =>
    discardStored({ artifacts, deadlines, log }, work.id, locator)
  let durationMs: number
  try {
    const options = { account: work.head.task.account, kinds: ["video"], signal } as const
    const facts = await inspectTimed({ artifacts, inspector }, stored, options)
    durationMs = facts.durationMs
  } catch (error) {
    await discard()
    throw error
  }
  if (!isDataUrl(url)) {
    return { bytes, video: { durationMs, copy: { bytes, locator, mimeType } } }
  }
  await discard()
  return { bytes, video: { durationMs, copy: null } }
}
