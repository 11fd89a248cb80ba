/** `fold_events_per_s`: folding a stored log, from its text, as an audit or a recovery does. */
import {
  decide,
  emptyTask,
  fold,
  GENESIS_HASH,
  openEvent,
  sealEvents,
  type StoredEvent,
  type TaskCommand,
} from "@safelight/core"
import { createSampleSealer } from "@safelight/testkit"
import { median, report } from "./measure.ts"

const TASKS = 10_000
const ROUNDS = 10

const hex = "ab".repeat(32)
const commands: readonly TaskCommand[] = [
  {
    kind: "submit",
    submitted: {
      account: "benchmark",
      commitment: hex,
      endBy: 2_000_000_000_000,
      maxAttempts: 5,
      model: "vendor-a/v4.1/flash/text-to-image",
      parameters: { enable_safety_checker: true, size: "square_hd" },
      priceVersion: "default-1",
      reservationMicros: 10_000,
    },
  },
  {
    kind: "dispatch",
    because: "tier 1, 1 of 1 channels able",
    channel: "studio",
    lease: "lease",
    sendBefore: 1_900_000_000_000,
    upstreamKey: "key",
  },
  { kind: "accept", operation: { key: "key" }, upstreamKey: "key" },
  {
    kind: "succeed",
    artifacts: [
      {
        bytes: 1024,
        durationMs: null,
        expiresAt: 1_950_000_000_000,
        key: "image_1",
        locator: "locator",
        mimeType: "image/png",
        sha256: hex,
        type: "image",
      },
    ],
    chargeMicros: 10_000,
    usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
  },
]

const log: StoredEvent[][] = Array.from({ length: TASKS }, (_, index) => {
  const id = `task-${index}`
  let task = emptyTask(id)
  const events = commands.map((command, step) => {
    const decision = decide(task, command, 1_800_000_000_000 + step)
    if (decision.kind === "rejected") throw new Error(decision.rejection.code)
    task = decision.task
    return decision.event
  })
  return sealEvents(createSampleSealer(id), { task: id, version: 0, hash: GENESIS_HASH }, events)
})

const rates = Array.from({ length: ROUNDS }, () => {
  const startedAt = performance.now()
  for (const [index, events] of log.entries()) fold(`task-${index}`, events.map(openEvent))
  return ((TASKS * commands.length) / (performance.now() - startedAt)) * 1000
})
report({ fold_events_per_s: median(rates) })
