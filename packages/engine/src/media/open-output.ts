/**
 * The bytes of an output, wherever they are: the channel has them, or they lie at a URL of the hosts
 * that the channel names. What lies at a URL is what its own bytes say, and never what anybody says of
 * it; a video or a sound is measured once it is stored.
 */
import {
  isDataUrl,
  isSafelightError,
  isTimed,
  SafelightError,
  toHostLine,
  type ArtifactKind,
  type ChannelOutput,
  type LinkedOutput,
  type Media,
  type MediaRequest,
  type Model,
  type MediaSource,
  type StoredArtifact,
} from "@safelight/core"
import type { Context } from "../host/context.ts"
import { inspectTimed, type InspectOptions, type TimedFacts } from "./inspect-stored.ts"
import { toKinds, withTwin, type OutputKinds } from "./output-kinds.ts"
import { readWholePicture } from "./whole-picture.ts"
import { readWholeText, toTextType } from "./whole-text.ts"
import type { StoredOutput } from "./kept-outputs.ts"
import type { Work } from "../work/work.ts"

export interface OutputBytes {
  readonly kinds: OutputKinds
  readonly mimeType: string
  readonly body: AsyncIterable<Uint8Array>
}

/** An hour of video at 4 Mbit/s; a picture or a scene of any size that a model makes; a shelf of books. */
const MOST_BYTES: Readonly<Record<ArtifactKind, number>> = {
  image: 256 * 1024 * 1024,
  video: 2 * 1024 * 1024 * 1024,
  audio: 256 * 1024 * 1024,
  text: 16 * 1024 * 1024,
  "3d": 512 * 1024 * 1024,
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
  { model, signal }: { readonly model: Model; readonly signal: AbortSignal },
): Promise<OutputBytes> {
  if (!isLinked(output)) {
    return toOpened(toKinds(model, output.mimeType), output.mimeType, output.open(signal))
  }
  const { artifacts } = model
  const { channels, media } = context
  const name = work.head.task.dispatch?.channel
  const origins = channels.find((each) => each.name === name)?.outputOrigins
  if (media === undefined || origins === undefined) {
    throw new TypeError(`outputs of channel ${name} can't be fetched here`)
  }
  const { url, headers } = output
  const request: MediaRequest = {
    url,
    kinds: artifacts,
    maxBytes: Math.max(...artifacts.map((kind) => MOST_BYTES[kind])),
    resumes: RESUMES,
    signal,
    ...origins,
    ...(headers && { headers }),
  }
  const { body, kind, mimeType } = await openTold(context, work, media, request)
  const bounded = artifacts.length === 1 ? body : readAtMost(body, MOST_BYTES[kind])
  // A digest proves more.
  const isProved = kind !== "image" || output.sha256 !== undefined
  const whole = isProved ? bounded : readWholePicture(bounded, mimeType)
  return toOpened(withTwin(artifacts, kind), mimeType, whole)
}

function toOpened(kinds: OutputKinds, mimeType: string, body: OutputBytes["body"]): OutputBytes {
  if (kinds[0] !== "text") return { kinds, mimeType, body }
  return { kinds, mimeType: toTextType(mimeType), body: readWholeText(body) }
}

/** Of a model that makes several kinds: it is known only now how large an output may be. */
async function* readAtMost(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) {
      const message = `an output has more than ${mostBytes} bytes`
      throw new SafelightError({ code: "media_too_large", message })
    }
    yield chunk
  }
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

/** As `InspectOptions`, of any kinds. */
export interface OutputInspection extends Omit<InspectOptions, "kinds"> {
  readonly opened: Pick<OutputBytes, "kinds" | "mimeType">
}

/** What an output is once it is stored. */
export interface OutputFacts extends Pick<StoredOutput, "durationMs" | "mimeType" | "type"> {}

/**
 * Measures a stored video or sound. Rejects as `MediaInspector.inspect` does, and with `media_unreadable` where
 * it finds no length: what they cost hangs on that.
 */
export async function measureOutput(
  { artifacts, inspector }: Context,
  output: ChannelOutput,
  stored: StoredArtifact,
  { opened, ...options }: OutputInspection,
): Promise<OutputFacts> {
  const { kinds, mimeType } = opened
  const [type] = kinds
  const timed = kinds.filter(isTimed)
  if (timed.length === 0) return { durationMs: null, mimeType, type }
  if (inspector === undefined) {
    if (!isLinked(output) && output.durationMs !== undefined) {
      return { durationMs: output.durationMs, mimeType, type }
    }
    throw new TypeError("nothing is measured without an inspector")
  }
  const facts = await inspectTimed({ artifacts, inspector }, stored, { ...options, kinds: timed })
  return toFacts(facts, { mimeType, type })
}

/** The type stands as it was, unless the tracks say that it is of the other kind. */
function toFacts(
  { durationMs, kind, mimeType }: TimedFacts,
  before: Pick<OutputFacts, "mimeType" | "type">,
): OutputFacts {
  return kind === before.type ? { ...before, durationMs } : { durationMs, mimeType, type: kind }
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
