/**
 * The bytes of an output, wherever they are: the channel has them, or they lie at a URL of the hosts
 * that the channel names. What lies at a URL is what its own bytes say, and never what anybody says of
 * it; a video is measured once it is stored.
 */
import {
  SafelightError,
  type ChannelOutput,
  type LinkedOutput,
  type MediaFacts,
  type MediaKind,
  type OpenedOutput,
  type StoredArtifact,
} from "@safelight/core"
import type { Context } from "./context.ts"
import type { Work } from "./work.ts"

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
  return media.open({
    url,
    kinds: [kind],
    maxBytes: MOST_BYTES[kind],
    resumes: RESUMES,
    signal,
    ...origins,
    ...(headers && { headers }),
  })
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

/** How long a stored video is; null for pictures. Rejects as `MediaInspector.inspect` does. */
export async function measureOutput(
  context: Context,
  output: ChannelOutput,
  stored: StoredArtifact,
  { kind, signal }: { readonly kind: MediaKind; readonly signal: AbortSignal },
): Promise<number | null> {
  if (!isLinked(output) && output.durationMs !== undefined) return output.durationMs
  if (kind === "image") return null
  const { durationMs } = await inspect(context, stored, { kind, signal })
  return durationMs ?? null
}

function inspect(
  { artifacts, inspector }: Context,
  { bytes, place }: StoredArtifact,
  { kind, signal }: { readonly kind: MediaKind; readonly signal: AbortSignal },
): Promise<MediaFacts> {
  if (inspector === undefined) throw new TypeError("nothing can be measured without an inspector")
  async function read(start: number, end: number): Promise<Uint8Array> {
    const reader = await artifacts.open({ place, start, end: end - 1 })
    try {
      const chunk = new Uint8Array(end - start)
      let length = 0
      for (let more = -1; more !== 0 && length < chunk.length; length += more) {
        more = await reader.read(chunk.subarray(length))
      }
      return chunk.subarray(0, length)
    } finally {
      await reader.close()
    }
  }
  return inspector.inspect({ bytes, kinds: [kind], read, signal })
}

/** What no further try makes better: the provider made something else than was asked for. */
const UNUSABLE: ReadonlySet<string> = new Set([
  "media_too_large",
  "media_unreadable",
  "unsupported_media_type",
])

/** Whether the output can't be had any more, or is of no use: it failed with `error`. */
export function isLost(output: ChannelOutput, error: SafelightError, now: number): boolean {
  if (!isLinked(output)) return isUnmeasurable(output, error)
  const isUseless = output.sha256 === undefined ? UNUSABLE.has(error.code) : isUnreadable(error)
  return isUseless || now >= (output.expiresAt ?? Infinity)
}

/** Of an output with a digest: what is not it, such as a page in its place, says nothing of it. */
function isUnreadable({ code }: SafelightError): boolean {
  return code === "media_unreadable"
}

function isUnmeasurable({ durationMs }: OpenedOutput, { code }: SafelightError): boolean {
  return durationMs === undefined && UNUSABLE.has(code)
}

/** The order to fetch them in: what is gone soonest comes first. */
export function toFetchOrder(outputs: readonly ChannelOutput[]): readonly number[] {
  const expiries = outputs.map((each) => (isLinked(each) && each.expiresAt) || Infinity)
  return [...outputs.keys()].toSorted((a, b) => {
    const [one = Infinity, other = Infinity] = [expiries[a], expiries[b]]
    return one === other ? a - b : one - other
  })
}
