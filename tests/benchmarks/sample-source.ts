/** The log of the benchmarks of audits, in memory or as it is asked for: every task has five events and one input. */
import {
  DEFAULT_PRICES,
  sealPrices,
  toArtifactFolder,
  toPriceDefinitions,
  toPriceVersion,
  type ScannedStream,
  type SideRecords,
  type Storage,
} from "@safelight/core"
import { sha256 } from "@safelight/engine"
import {
  advanceSample,
  createMemoryStorage,
  dispatchSample,
  submitSample,
  succeedSample,
} from "@safelight/testkit"

/** Of every task. */
export const EVENTS = 5

/** A moment after the events, and before an artifact expires. */
export const NOW = 2_000

export interface SampleTask {
  readonly stream: ScannedStream
  readonly sides: SideRecords
}

const MODEL = "vendor-a/v4.1/flash/text-to-image"
const [TABLE] = sealPrices(DEFAULT_PRICES, sha256)
const PRICE_VERSION = toPriceVersion(TABLE, MODEL)
const PRICES = toPriceDefinitions(DEFAULT_PRICES, sha256)
const BODY = JSON.stringify({ prompt: "fog over a harbour, ships at anchor", size: "square_hd" })
const SALT = "5a".repeat(16)

/** Of the ids, in their order: 0, 1, 2… Its events are of the moment `now`. */
export function createTask(position: number, now = 1_000): SampleTask {
  const id = `00000000-0000-7000-8000-${String(position).padStart(12, "0")}`
  const submitted = {
    commitment: sha256([{ hex: SALT }, BODY]),
    model: MODEL,
    priceVersion: PRICE_VERSION,
  }
  const folder = toArtifactFolder(id, (text) => sha256([text]))
  const success = succeedSample(1, { chargeMicros: 10_000 })
  if (success.kind !== "succeed") throw new TypeError("a success is none")
  const artifacts = success.artifacts.map((entry) => ({
    ...entry,
    locator: `${folder}/${entry.key}/1`,
  }))
  const { append: first, head } = submitSample({ id, submitted, now })
  const { append } = advanceSample(
    head,
    [
      dispatchSample(),
      { kind: "accept", operation: { id: "operation" }, upstreamKey: "key-1" },
      { kind: "progress", attempt: 1, progress: 40 },
      { ...success, artifacts },
    ],
    { now },
  )
  const { charge, outcomes, task: row } = append.changes
  const stream = { id, events: [...first.events, ...append.events], row }
  return {
    stream: {
      ...stream,
      charge,
      outcomes,
      ready: undefined,
      retainedAt: 1_209_600_000,
      hasInputs: true,
    },
    sides: {
      inputs: [{ task: id, name: "request", salt: SALT, body: BODY }],
      labels: {},
      idempotency: [{ key: `key-${position}`, fingerprint: "ab".repeat(32), usedAt: 1_000 }],
      linkEpochs: [],
    },
  }
}

/** Answers at once, from `tasks` tasks; nothing that is written is kept. */
export function createSource(
  tasks: number,
  toTask: (position: number) => SampleTask = createTask,
): Storage {
  const toPlace = (id: string): number => Number(id.slice(-12))
  return {
    ...createMemoryStorage(),
    async scan({ after, limit }) {
      const start = after === "" ? 0 : toPlace(after) + 1
      const count = Math.min(limit, tasks - start)
      const streams = Array.from({ length: count }, (_, step) => toTask(start + step).stream)
      return { streams, next: start + count < tasks ? (streams.at(-1)?.id ?? null) : null }
    },
    listDefinitions: async (kind) => (kind === "price" ? PRICES : []),
    scanTotals: async () => [],
    readSideRecords: async (id) => toTask(toPlace(id)).sides,
  }
}
