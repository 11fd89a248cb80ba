/**
 * Appends to test storages with, made as the engine makes them: decided, sealed, projected by
 * core. Nothing here is written by hand that core derives, so a sample is always consistent.
 */
import { createHash } from "node:crypto"
import {
  decide,
  emptyTask,
  GENESIS_HASH,
  project,
  sealEvents,
  type Append,
  type AttemptCost,
  type Digest,
  type EventData,
  type Input,
  type Json,
  type Labels,
  type ManifestEntry,
  type QueueChange,
  type Sealer,
  type StreamHead,
  type TaskCommand,
  type TaskEvent,
  type Usage,
} from "@safelight/core"

/** An append and the head that the task has once it is stored. */
export interface SampleAppend {
  readonly append: Append
  readonly head: StreamHead
}

export interface SampleOptions {
  /** The moment of the events, ms; 1,000 by default. */
  readonly now?: number
  readonly inputs?: readonly Input[]
  readonly labels?: Labels
  readonly queue?: QueueChange
}

export interface SampleSubmission extends SampleOptions {
  readonly id: string
  readonly submitted?: Partial<EventData<"submitted">>
}

/** SHA-256 by Node. */
export const sampleDigest: Digest = (parts) => {
  const hash = createHash("sha256")
  for (const part of parts) {
    if (typeof part === "string") hash.update(part)
    else hash.update(part.hex, "hex")
  }
  return hash.digest("hex")
}

/** Salts follow from `seed`, so that a sample that is made twice is the same. */
export function createSampleSealer(seed: string): Sealer {
  let count = 0
  return {
    digest: sampleDigest,
    createSalt() {
      count += 1
      return sampleDigest([seed, String(count)]).slice(0, 22)
    },
  }
}

/** The first append of a task; it stays out of the queue unless `queue` says otherwise. */
export function submitSample({ id, submitted, ...options }: SampleSubmission): SampleAppend {
  const nothing: StreamHead = { task: emptyTask(id), hash: GENESIS_HASH }
  const command: TaskCommand = { kind: "submit", submitted: { ...SUBMITTED, ...submitted } }
  return advanceSample(nothing, [command], options)
}

/** One append with the events of `commands`. Throws a RangeError where one is refused. */
export function advanceSample(
  head: StreamHead,
  commands: readonly TaskCommand[],
  { now = 1_000, inputs, labels, queue }: SampleOptions = {},
): SampleAppend {
  let { task } = head
  const events: TaskEvent[] = []
  for (const command of commands) {
    const decision = decide(task, command, now)
    if (decision.kind === "rejected") {
      throw new RangeError(`${command.kind}: ${JSON.stringify(decision.rejection)}`)
    }
    events.push(decision.event)
    task = decision.task
  }
  const { id, version } = head.task
  const stored = sealEvents(
    createSampleSealer(head.hash),
    { task: id, version, hash: head.hash },
    events,
  )
  const hash = stored.at(-1)?.hash ?? head.hash
  const append: Append = {
    task: id,
    expectedVersion: version,
    ...(version > 0 && { expectedHash: head.hash }),
    events: stored,
    changes: project(task, hash, events),
    state: task,
    ...(inputs === undefined ? {} : { inputs }),
    ...(labels === undefined ? {} : { labels }),
    ...(queue === undefined ? {} : { queue }),
  }
  return { append, head: { task, hash } }
}

/** Asks a channel; `attempt` tells dispatches of one task apart. */
export function dispatchSample(attempt = 1): TaskCommand {
  return {
    kind: "dispatch",
    because: "only",
    channel: "sample",
    lease: `lease-${attempt}`,
    sendBefore: 2_000,
    upstreamKey: `key-${attempt}`,
  }
}

/** The channel's answer to `dispatchSample` of the same attempt. */
export function acceptSample(operation: Json, attempt = 1): TaskCommand {
  return { kind: "accept", operation, upstreamKey: `key-${attempt}` }
}

export interface SampleSuccess {
  /** 30,000 an image by default. */
  readonly chargeMicros?: number
  /** `count` images by default. */
  readonly usage?: Usage
  readonly cost?: AttemptCost
  /** Marks every artifact as one of before expiry was recorded. */
  readonly hidesExpiry?: boolean
}

/** Success with `count` images. */
export function succeedSample(count = 1, success: SampleSuccess = {}): TaskCommand {
  const { chargeMicros = 30_000 * count, cost, hidesExpiry = false } = success
  const { usage = { images: count, inputVideosMs: [], outputVideoMs: 0 } } = success
  const artifacts = Array.from({ length: count }, (_, index): ManifestEntry => ({
    bytes: 10 + index,
    durationMs: null,
    expiresAt: 5_000,
    ...(hidesExpiry && { expiryHidden: true as const }),
    key: `image_${index + 1}`,
    locator: `locator/${index}`,
    mimeType: "image/png",
    sha256: "ab".repeat(32),
    type: "image",
  }))
  return { kind: "succeed", artifacts, chargeMicros, usage, ...(cost && { cost }) }
}

/** What `succeedEveryKind` uses up. */
export const EVERY_USAGE: Usage = {
  characters: 1_200,
  images: 1,
  inputVideosMs: [],
  outputAudioMs: 61_441,
  outputVideoMs: 5_005,
  tokens: 840,
}

/** Success with two sounds and one artifact of every other kind, as no release before schema 2 could record. */
export function succeedEveryKind(): TaskCommand {
  const one = succeedSample()
  const [base] = one.kind === "succeed" ? one.artifacts : []
  if (base === undefined) throw new TypeError("a success has an artifact")
  const artifacts = [
    { ...base, durationMs: 5_005, key: "video", mimeType: "video/mp4", type: "video" },
    base,
    { ...base, durationMs: 61_440, key: "audio", mimeType: "audio/mpeg", type: "audio" },
    { ...base, durationMs: 1, key: "audio_2", mimeType: "audio/wav", type: "audio" },
    { ...base, key: "text", mimeType: "text/plain", type: "text" },
    { ...base, key: "3d", mimeType: "model/gltf-binary", type: "3d" },
  ] as const
  return { kind: "succeed", artifacts, chargeMicros: 30_000, usage: EVERY_USAGE }
}

const SUBMITTED: EventData<"submitted"> = {
  account: "account",
  commitment: "0".repeat(64),
  endBy: 100_000,
  maxAttempts: 5,
  model: "model-a",
  parameters: { size: "square_hd" },
  priceVersion: "1",
  reservationMicros: 30_000,
}
