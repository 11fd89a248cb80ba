/**
 * The events of a task: facts in the past tense, each with its schema (design §3). Members are
 * declared in sorted order, so that an event is canonical JSON as it stands; times are
 * milliseconds, money integer micro-units. What a person wrote or sent is never in an event: it
 * is in `inputs`, and `submitted` carries only a commitment to it.
 */
import * as v from "valibot"
import { isJson, type Json } from "../values/canonical-json.ts"
import { MAX_CHARGE_MICROS, MAX_USAGE } from "../money/charge.ts"
import { costSchema } from "../money/cost.ts"
import { MAX_LOCATOR_CHARACTERS } from "./artifact-locator.ts"
import { ARTIFACT_KINDS, isTimed } from "../models/artifact-kind.ts"
import { FAILURE_CODES, type FailureCode } from "./failure.ts"

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
/** Any storage's own locators; those in the common form are the longest that a transfer can carry. */
const locator = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_LOCATOR_CHARACTERS))
/** What one task may cost. Sums of them stay exact far beyond any bill. */
const micros = v.pipe(count, v.maxValue(MAX_CHARGE_MICROS))
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const scalar = v.union([v.string(), v.pipe(v.number(), v.safeInteger()), v.boolean()])

/** Plain JSON of any shape; the channel that wrote it is the only one that reads it. */
const json = v.custom<Json>(isJson)

const manifestEntry = v.strictObject({
  bytes: count,
  /** Measured, of a video or a sound; null of anything else. */
  durationMs: v.nullable(count),
  /** When the bytes are gone. A result may have an expiry and be listed without it (specification §2.2). */
  expiresAt: count,
  expiryHidden: v.exactOptional(v.literal(true)),
  key: name,
  locator,
  mimeType: name,
  sha256,
  type: v.picklist(ARTIFACT_KINDS),
})

/** What has a length is charged by it: what nobody measured would cost nothing. */
const isMeasured = ({ durationMs, type }: v.InferOutput<typeof manifestEntry>): boolean =>
  isTimed(type) ? durationMs !== null && durationMs > 0 : durationMs === null

const manifestEntrySchema = v.pipe(manifestEntry, v.forward(v.check(isMeasured), ["durationMs"]))

/** Each has a key of its own. */
const isWhole = (artifacts: v.InferOutput<typeof manifestEntry>[]): boolean =>
  artifacts.length === 1 ||
  (artifacts.length > 1 && new Set(artifacts.map(({ key }) => key)).size === artifacts.length)

/** Pieces or milliseconds: no task uses nearly as much, and thousands of it can be added up. */
const amount = v.pipe(count, v.maxValue(MAX_USAGE))

/** Absent if there is none of it. */
const someAmount = v.exactOptional(v.pipe(amount, v.minValue(1)))

/** What a task used up, measured: the basis of its charge (design §8). */
export const usageSchema = v.strictObject({
  /** Of the text that it was given, in code points; for models that are billed by it. */
  characters: someAmount,
  images: amount,
  /** Durations of the reference videos in request order, as measured. */
  inputVideosMs: v.array(amount),
  /** Of all sounds together. */
  outputAudioMs: someAmount,
  /** Of all videos together. */
  outputVideoMs: amount,
  /** As the channel reported them. */
  tokens: someAmount,
})

const failureSchema = v.strictObject({
  code: v.picklist(FAILURE_CODES as readonly [FailureCode, ...FailureCode[]]),
  message: v.string(),
  type: v.picklist(["generation_error", "content_policy_error", "invalid_request_error"]),
})

/** The data of every event, by type, at its newest schema version. */
export const EVENT_DATA = {
  submitted: v.strictObject({
    account: name,
    /** SHA-256(salt ‖ canonical bytes of the parameters as accepted). */
    commitment: sha256,
    /** Digest of the model's definition (`model-file/definition.ts`); absent if no file of JSON defines the model. */
    definition: v.exactOptional(sha256),
    endBy: count,
    maxAttempts: count,
    model: name,
    /** The enumerated, integer and boolean parameters, defaults applied. */
    parameters: v.record(v.string(), scalar),
    priceVersion: name,
    reservationMicros: micros,
  }),
  dispatched: v.strictObject({
    attempt: count,
    because: v.string(),
    channel: name,
    lease: name,
    sendBefore: count,
    upstreamKey: name,
  }),
  accepted: v.strictObject({ operation: json }),
  doubted: v.strictObject({ code: name }),
  deferred: v.strictObject({
    /** Upstream, of the attempt that was deferred. */
    cost: costSchema,
    /** The channel refused the task, and is not asked for it again. */
    isRefusal: v.boolean(),
    reason: name,
    retryAt: count,
  }),
  progressed: v.strictObject({
    progress: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(99)),
  }),
  succeeded: v.strictObject({
    artifacts: v.pipe(v.array(manifestEntrySchema), v.check(isWhole)),
    chargeMicros: micros,
    /** Upstream; the charge is the account's. */
    cost: costSchema,
    usage: usageSchema,
  }),
  failed: v.strictObject({
    chargeMicros: micros,
    cost: costSchema,
    error: failureSchema,
    /** What the channel says it billed all the same; null if it billed nothing. */
    usage: v.nullable(usageSchema),
  }),
  /** Artifacts whose time had not passed by then are kept until then, or longer as they were. */
  held: v.strictObject({ until: count }),
  expired: v.strictObject({ keys: v.array(name) }),
} as const

export type EventType = keyof typeof EVENT_DATA

export type EventData<Type extends EventType> = v.InferOutput<(typeof EVENT_DATA)[Type]>

export type TaskEventOf<Type extends EventType> = {
  readonly [Each in Type]: {
    readonly type: Each
    /** Milliseconds since the epoch; never falls within a task. */
    readonly at: number
    readonly data: Readonly<EventData<Each>>
  }
}[Type]

export type TaskEvent = TaskEventOf<EventType>

export type ManifestEntry = Readonly<v.InferOutput<typeof manifestEntrySchema>>
export type Usage = Readonly<v.InferOutput<typeof usageSchema>>

export const EVENT_TYPES = Object.keys(EVENT_DATA) as readonly EventType[]

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENT_DATA, type)
}
