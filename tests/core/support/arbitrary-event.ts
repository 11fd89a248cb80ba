/**
 * Events for property tests. An event is generated as a *draft* that fits any task; `toEvent` fits
 * it to the task at hand (attempt numbers relative to its own, keys from a set of two), so that
 * sequences run deep into the machine and still contain everything that it must refuse.
 */
import {
  EVENT_TYPES,
  FAILURE_CODES,
  lastExpiryAt,
  toTaskFailure,
  type AttemptCost,
  type EventType,
  type Json,
  type ManifestEntry,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import * as fc from "fast-check"

export interface EventDraft {
  readonly type: EventType
  readonly attemptOffset: number
  readonly channel: string
  readonly chargeMicros: number
  readonly cost: AttemptCost
  readonly durationMs: number
  readonly failure: (typeof FAILURE_CODES)[number]
  readonly images: number
  readonly operation: Json
  readonly progress: number
  readonly tickMs: number
  readonly upstreamKey: string
}

/** What leads on from each state, so that it comes up more often than chance would bring it. */
const LIKELY: Readonly<Record<Task["state"], readonly EventType[]>> = {
  nothing: ["submitted"],
  queued: ["dispatched"],
  dispatching: ["accepted", "doubted", "deferred"],
  doubtful: ["dispatched", "accepted", "deferred"],
  running: ["progressed", "progressed", "deferred", "succeeded"],
  "succeeded.available": ["held", "expired"],
  "succeeded.expired": ["expired"],
  failed: ["failed"],
}

const operation = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>

const anyCost: fc.Arbitrary<AttemptCost> = fc.oneof(
  fc.constantFrom("none" as const, "unknown" as const),
  fc.record({
    computedMicros: fc.option(fc.nat()),
    told: fc.option(fc.record({ micros: fc.nat(), unit: fc.constantFrom("usd", "credits") })),
  }),
)

export const eventDraft: fc.Arbitrary<EventDraft> = fc.record({
  type: fc.constantFrom(...EVENT_TYPES),
  attemptOffset: fc.constantFrom(1, 1, 1, 1, 0, 2, -1),
  channel: fc.constantFrom("north", "north", "south"),
  chargeMicros: fc.nat(),
  cost: anyCost,
  durationMs: fc.nat({ max: 60_000 }),
  failure: fc.constantFrom(...FAILURE_CODES),
  images: fc.nat({ max: 4 }),
  operation: operation.filter((value) => isWellFormed(value)),
  progress: fc.integer({ min: 1, max: 99 }),
  tickMs: fc.nat({ max: 5_000 }),
  upstreamKey: fc.constantFrom("key-1", "key-1", "key-2"),
})

/** Drafts of which about three in four lead on from the state they meet. */
export const eventDrafts: fc.Arbitrary<readonly (EventDraft & { readonly isLikely: boolean })[]> =
  fc.array(
    fc
      .tuple(eventDraft, fc.constantFrom(true, true, true, false))
      .map(([draft, isLikely]) => ({ ...draft, isLikely })),
    { maxLength: 24 },
  )

/** The draft as an event for `task`; a likely one takes a type that leads on. */
export function toEvent(
  task: Task,
  draft: EventDraft & { readonly isLikely?: boolean },
): TaskEvent {
  const likely = LIKELY[task.state]
  const type = draft.isLikely === true ? likely[draft.progress % likely.length] : draft.type
  return { type, at: task.updatedAt + draft.tickMs, data: toData(task, draft, type) } as TaskEvent
}

function toData(task: Task, draft: EventDraft, type: EventType | undefined): object {
  switch (type) {
    case "submitted":
      return submittedData(draft)
    case "dispatched":
      return {
        attempt: Math.max(0, task.attempt + draft.attemptOffset),
        because: "its turn",
        channel: draft.channel,
        lease: `lease-${draft.progress}`,
        sendBefore: task.updatedAt + 30_000,
        upstreamKey: draft.upstreamKey,
      }
    case "accepted":
      return { operation: draft.operation }
    case "doubted":
      return { code: "connection_lost" }
    case "deferred":
      return {
        cost: draft.cost,
        isRefusal: draft.images === 4,
        reason: "provider_busy",
        retryAt: task.updatedAt + draft.tickMs,
      }
    case "progressed":
      return { progress: draft.progress }
    case "succeeded":
      return succeededData(draft)
    case "failed":
      return failedData(draft)
    case "held":
      // One in five keeps nothing longer.
      return { until: draft.images === 4 ? 1 : lastExpiryAt(task) + 1 + draft.tickMs }
    case "expired":
    case undefined:
      return { keys: task.artifacts.map(({ key }) => key) }
  }
}

function submittedData(draft: EventDraft): object {
  return {
    account: `account-${draft.images}`,
    commitment: "c0".repeat(32),
    ...(draft.images % 2 === 1 && { definition: "d0".repeat(32) }),
    endBy: 3_600_000,
    maxAttempts: 3,
    model: "vendor-b/imagine-image/v2.0/edit",
    parameters: { count: draft.images, resolution: "1k", sync_mode: false },
    priceVersion: "default-1",
    reservationMicros: draft.chargeMicros,
  }
}

function succeededData(draft: EventDraft): object {
  const artifacts = Array.from({ length: Math.max(1, draft.images) }, (_, index) =>
    toEntry(draft, index),
  )
  const usage = { images: draft.images, inputVideosMs: [draft.durationMs], outputVideoMs: 0 }
  return { artifacts, chargeMicros: draft.chargeMicros, cost: draft.cost, usage }
}

function failedData(draft: EventDraft): object {
  const usage = { images: draft.images, inputVideosMs: [], outputVideoMs: 0 }
  const isBilled = draft.chargeMicros > 0
  const error = toTaskFailure(draft.failure)
  const { chargeMicros, cost } = draft
  return { chargeMicros, cost, error, usage: isBilled ? usage : null }
}

function toEntry(draft: EventDraft, index: number): ManifestEntry {
  const isVideo = draft.images === 1 && draft.durationMs > 0
  return {
    bytes: draft.progress * 1000,
    durationMs: isVideo ? draft.durationMs : null,
    expiresAt: 1_209_600_000 + index,
    ...(draft.images === 3 && { expiryHidden: true }),
    key: `image_${index + 1}`,
    locator: `locator-${index}`,
    mimeType: "image/png",
    sha256: "ab".repeat(32),
    type: isVideo ? "video" : "image",
  }
}

function isWellFormed(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (value === null || typeof value !== "object") return true
  return Object.entries(value).every(([key, child]) => key.isWellFormed() && isWellFormed(child))
}
