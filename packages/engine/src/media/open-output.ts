/**
 * The bytes of an output, wherever they are: the channel has them, or they lie at a URL of the hosts
 * that the channel names. What lies at a URL is what its own bytes say, and never what anybody says of
 * it; a video is measured once it is stored.
 */
import {
  isDataUrl,
  isSafelightError,
  SafelightError,
  toHostLine,
  type ChannelOutput,
  type LinkedOutput,
  type Media,
  type MediaKind,
  type MediaRequest,
  type MediaSource,
  type StoredArtifact,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { inspectVideo, type InspectOptions } from "./inspect-stored.ts"
import { readWholePicture } from "./whole-picture.ts"
import type { Work } from "../work/work.ts"

export interface OutputBytes {
  readonly mimeType: string
  readonly body: AsyncIterable<Uint8Array>
}

/** An hour of video at 4 Mbit/s; a picture of any size that a model makes. */
const MOST_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 256 * 1024 * 1024,
  video: 2 * 1024 * 1024 * 1024,
  audio: 256 * 1024 * 1024,
}

/** How often a download that breaks off is gone on with. */
const RESUMES = 5

export function isLinked(output: ChannelOutput): output is LinkedOutput {
  return "url" in output
}

/** Rejects as `MediaSource.open` does. */
export async function openOutput(
  context: Context,
  work: Work,
  output: ChannelOutput,
  { kind, signal }: { readonly kind: MediaKind; readonly signal: AbortSignal },
): Promise<OutputBytes> {
  if (!isLinked(output)) return { mimeType: output.mimeType, body: output.open(signal) }
  const { channels, media } = context
  const name = work.head.task.dispatch?.channel
  const origins = channels.find((each) => each.name === name)?.outputOrigins
  if (media === undefined || origins === undefined) {
    throw new TypeError(`outputs of channel ${name} can't be fetched here`)
  }
  const { url, headers } = output
  const request: MediaRequest = {
    url,
    kinds: [kind],
    maxBytes: MOST_BYTES[kind],
    resumes: RESUMES,
    signal,
    ...origins,
    ...(headers && { headers }),
  }
  const { body, mimeType } = await openTold(context, work, media, request)
  // A digest proves more.
  const isProved = kind !== "image" || output.sha256 !== undefined
  return { mimeType, body: isProved ? body : readWholePicture(body, mimeType) }
}

/** Opens it, and tells of a host that the channel may not ask: what lies there is paid for. */
async function openTold(
  { log, troubles }: Context,
  { head, id: task }: Work,
  media: MediaSource,
  request: MediaRequest,
): Promise<Media> {
  try {
    return await media.open(request)
  } catch (error) {
    const channel = head.task.dispatch?.channel
    const host = isSafelightError(error) ? error.refusedHost : undefined
    const isNews = channel !== undefined && host !== undefined && troubles.noteHost(channel, host)
    if (isNews) log.error({ task, channel, host, add: toHostLine(host) }, "output host refused")
    throw error
  }
}

/**
 * Throws where what was stored is not what the channel said it made, which a download that went wrong
 * may be: it is fetched again, for as long as the output can be had and the task has time.
 */
export function requireDigest({ sha256 }: ChannelOutput, stored: StoredArtifact): void {
  if (sha256 === undefined || sha256 === stored.sha256) return
  const message = "the bytes of an output are not those that its digest names"
  throw new SafelightError({ code: "media_download_failed", message, retryable: true })
}

/**
 * How long a stored video is; null for pictures. Rejects as `MediaInspector.inspect` does, and with
 * `media_unreadable` where it finds no length: what a video costs hangs on that.
 */
export async function measureOutput(
  { artifacts, inspector }: Context,
  output: ChannelOutput,
  stored: StoredArtifact,
  options: InspectOptions,
): Promise<number | null> {
  if (options.kind === "image") return null
  if (inspector === undefined) {
    if (!isLinked(output) && output.durationMs !== undefined) return output.durationMs
    throw new TypeError("no video is measured without an inspector")
  }
  return inspectVideo({ artifacts, inspector }, stored, options)
}

/** The provider made something else than was asked for, or a server on the way says something else. */
const UNUSABLE: ReadonlySet<string> = new Set([
  "media_too_large",
  "media_unreadable",
  "unsupported_media_type",
])

/** A page in place of a file, or a file cut short, is a matter of minutes where a network is at fault. */
const UNUSABLE_MS = 300_000

/**
 * Whether the output can't be had any more, or is of no use: it failed with `error`. What lies at a URL
 * is asked for again for some minutes, since not only its provider answers there.
 */
export function isLost(
  { clock }: Pick<Context, "clock">,
  work: Work,
  { outputs, position }: { readonly outputs: readonly ChannelOutput[]; readonly position: number },
  error: SafelightError,
): boolean {
  const output = outputs[position] as ChannelOutput
  if (!isLinked(output)) return UNUSABLE.has(error.code)
  if (clock.now() >= (output.expiresAt ?? Infinity)) return true
  // What is not what its digest names says nothing of the output.
  if (output.sha256 !== undefined) return error.code === "media_unreadable"
  const now = clock.monotonicNow()
  if (!UNUSABLE.has(error.code)) {
    work.unusableSince.delete(position)
    return false
  }
  const since = work.unusableSince.get(position) ?? now
  work.unusableSince.set(position, since)
  return isDataUrl(output.url) || now >= since + UNUSABLE_MS
}

/** Whether it is the output that failed, and not where it was to be stored. */
export function isOfOutput({ code }: SafelightError): boolean {
  return code === "media_download_failed" || UNUSABLE.has(code)
}

/** The order to fetch them in: what is gone soonest comes first. */
export function toFetchOrder(outputs: readonly ChannelOutput[]): readonly number[] {
  const expiries = outputs.map((each) => (isLinked(each) && each.expiresAt) || Infinity)
  return [...outputs.keys()].toSorted((a, b) => {
    const [one = Infinity, other = Infinity] = [expiries[a], expiries[b]]
    return one === other ? a - b : one - other
  })
}
