/**
 * `verify_events_per_s`, `replay_events_per_s`, and `export_`, `check_` and `import_tasks_per_s`: what an
 * audit and a transfer cost by themselves, over a storage that answers at once and keeps nothing that is
 * written. Every task has five events and one input.
 */
import { parseArgs } from "node:util"
import { checkExport, createAudit, exportStreams, importStreams } from "@safelight/audit"
import {
  DEFAULT_PRICES,
  MODELS,
  toArtifactFolder,
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
import { median, report } from "./measure.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const TASKS = values.quick ? 100 : 5_000
const ROUNDS = values.quick ? 1 : 7
const EVENTS = 5
const NOW = 2_000
const BODY = JSON.stringify({ prompt: "fog over a harbour, ships at anchor", size: "square_hd" })
const SALT = "5a".repeat(16)

function createTask(position: number): { stream: ScannedStream; sides: SideRecords } {
  const id = `00000000-0000-7000-8000-${String(position).padStart(12, "0")}`
  const submitted = {
    commitment: sha256([{ hex: SALT }, BODY]),
    model: "vendor-a/v4.1/flash/text-to-image",
    priceVersion: "default-1",
  }
  const folder = toArtifactFolder(id, (text) => sha256([text]))
  const success = succeedSample(1, { chargeMicros: 10_000 })
  if (success.kind !== "succeed") throw new TypeError("a success is none")
  const artifacts = success.artifacts.map((entry) => ({
    ...entry,
    locator: `${folder}/${entry.key}/1`,
  }))
  const { append: first, head } = submitSample({ id, submitted })
  const { append } = advanceSample(head, [
    dispatchSample(),
    { kind: "accept", operation: { id: "operation" }, upstreamKey: "key-1" },
    { kind: "progress", attempt: 1, progress: 40 },
    { ...success, artifacts },
  ])
  const { artifacts: rows, charge, outcomes, task: row } = append.changes
  const stream = { id, events: [...first.events, ...append.events], row, artifacts: rows }
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

const tasks = Array.from({ length: TASKS }, (_, position) => createTask(position))
const places = new Map(tasks.map(({ stream }, position) => [stream.id, position]))
const NO_SIDES: SideRecords = { inputs: [], labels: {}, idempotency: [], linkEpochs: [] }

const source: Storage = {
  ...createMemoryStorage(),
  async scan({ after, limit }) {
    const start = after === "" ? 0 : (places.get(after) ?? TASKS) + 1
    const streams = tasks.slice(start, start + limit).map(({ stream }) => stream)
    return { streams, next: start + limit < TASKS ? (streams.at(-1)?.id ?? null) : null }
  },
  scanTotals: async () => [],
  readSideRecords: async (id) => tasks[places.get(id) ?? -1]?.sides ?? NO_SIDES,
}

/** Empty before every import, and after it. */
function createSink(): Storage {
  return { ...createMemoryStorage(), append: async () => {}, restoreIdempotency: async () => true }
}

const audit = createAudit({
  storage: source,
  digest: sha256,
  prices: DEFAULT_PRICES,
  models: MODELS,
})
const exporting = { storage: source, digest: sha256, now: NOW, isSealed: true }
const file = Buffer.from(await exportText())

async function exportText(): Promise<string> {
  let text = ""
  for await (const line of exportStreams(exporting)) text += line
  return text
}

/** In pieces of one buffer, as a file is read. */
async function* open(): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(64 * 1024)
  for (let start = 0; start < file.length; start += piece.length) {
    yield piece.subarray(0, file.copy(piece, 0, start))
  }
}

async function measure(count: number, work: () => Promise<unknown>): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now()
    await work()
    rates.push((count / (performance.now() - startedAt)) * 1_000)
  }
  return median(rates)
}

for (const { outcome } of [await audit.verify(), await audit.replay()]) {
  if (outcome !== "whole") throw new Error(`the sample log is not whole: ${outcome}`)
}
const reading = { open, digest: sha256, now: NOW }
report({
  verify_events_per_s: await measure(TASKS * EVENTS, () => audit.verify()),
  replay_events_per_s: await measure(TASKS * EVENTS, () => audit.replay()),
  export_tasks_per_s: await measure(TASKS, exportText),
  check_tasks_per_s: await measure(TASKS, () => checkExport(reading)),
  import_tasks_per_s: await measure(TASKS, () =>
    importStreams({ ...reading, storage: createSink() }),
  ),
})
