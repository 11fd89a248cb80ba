/**
 * A log in memory for the audit's tests: streams made of samples, then altered by hand, which no storage
 * would let a test do. `scan` pages as the port says.
 */
import assert from "node:assert/strict"
import {
  DEFAULT_PRICES,
  emptyTask,
  fromSnapshot,
  chargeOf,
  type ArchivedBundle,
  type ArchiveSegment,
  GENESIS_HASH,
  hashEvent,
  MODELS,
  toArtifactFolder,
  toMainKind,
  type ArtifactKind,
  type ChargeRow,
  type Definition,
  type OutcomeRow,
  type KeptTotals,
  type ManifestEntry,
  type ScannedStream,
  type ScanPage,
  isTerminal,
  type ReadyFacts,
  type ScanRequest,
  type Storage,
  type StoredEvent,
  type TaskCommand,
  type TaskRow,
  type Usage,
  type StreamHead,
} from "@safelight/core"
import { advanceSample } from "@safelight/testkit"
import { sha256 } from "./sha256.ts"

export interface SampleStream {
  id: string
  events: StoredEvent[]
  row: TaskRow | undefined
  charge: ChargeRow | undefined
  outcomes: OutcomeRow[]
  ready: ReadyFacts | undefined
  retainedAt: number | undefined
  hasInputs: boolean
}

export interface SampleLog {
  readonly streams: SampleStream[]
  readonly requests: ScanRequest[]
  listBundles(): Promise<readonly ArchivedBundle[]>
  listSegments(): Promise<readonly ArchiveSegment[]>
  /** What is kept of accounts, beside what their rows add up to. */
  totals: KeptTotals[]
  scan(request: ScanRequest): Promise<ScanPage>
  scanTotals(): Promise<readonly KeptTotals[]>
  /** Those that tasks may name; none at first. */
  readonly definitions: Map<string, Definition>
  findDefinition(digest: string): Promise<Definition | undefined>
  listDefinitions(kind: Definition["kind"]): Promise<readonly Definition[]>
}

export const EDIT = "vendor-b/imagine-image/v2.0/edit"
export const VIDEO = "vendor-c/video-2.5/reference-to-video"

/** The commands of a task from its submission on; `model` fixes what it uses up. */
export function submission(account: string, model: string): TaskCommand {
  const submitted = {
    account,
    commitment: "c0".repeat(32),
    endBy: 10_000_000,
    maxAttempts: 3,
    model,
    parameters: {},
    priceVersion: "default-1",
    reservationMicros: 80_000,
  }
  return { kind: "submit", submitted }
}

export function dispatch(upstreamKey = "key-1"): TaskCommand {
  const names = { because: "its turn", channel: "north", lease: "lease-1" }
  return { kind: "dispatch", ...names, sendBefore: 60_000, upstreamKey }
}

const PRICED = { parameters: {}, priceVersion: "default-1" }

export function success(model: string, usage: Usage): TaskCommand {
  const known = MODELS.find(({ id }) => id === model)
  if (known === undefined) throw new TypeError(`no model ${model}`)
  const kind = toMainKind(known)
  const count = kind === "video" ? 1 : usage.images
  const artifacts = Array.from({ length: count }, (_, index) => toEntry(kind, index))
  const chargeMicros = chargeOf(known, DEFAULT_PRICES, PRICED, usage)
  return { kind: "succeed", artifacts, chargeMicros, usage }
}

function toEntry(type: ArtifactKind, index: number): ManifestEntry {
  return {
    bytes: 1_000 + index,
    durationMs: type === "video" ? 5_000 : null,
    expiresAt: 1_209_600_000,
    key: type === "video" ? "video" : `image_${index + 1}`,
    locator: `00000000-0000-4000-8000-00000000000${index}`,
    mimeType: type === "video" ? "video/mp4" : "image/png",
    sha256: "ab".repeat(32),
    type,
  }
}

/** The stream that `commands` make, ten milliseconds apart; an expiry comes when it is due. */
export function createStream(
  id: string,
  commands: readonly TaskCommand[],
  toLocated = (command: TaskCommand): TaskCommand => withLocators(id, command),
): SampleStream {
  let head: StreamHead = { task: emptyTask(id), hash: GENESIS_HASH }
  const stream: SampleStream = {
    id,
    events: [],
    row: undefined,
    charge: undefined,
    outcomes: [],
    ready: undefined,
    retainedAt: undefined,
    hasInputs: false,
  }
  for (const [index, command] of commands.entries()) {
    const now = command.kind === "expire" ? 1_209_600_000 : 1_000 + index * 10
    const { append, head: next } = advanceSample(head, [toLocated(command)], { now })
    const { charge, outcomes, task } = append.changes
    stream.events.push(...append.events)
    stream.outcomes.push(...outcomes)
    stream.row = task
    stream.charge ??= charge
    head = next
  }
  const { account, endBy, model } = head.task
  if (!isTerminal(head.task)) stream.ready = { account, endBy, model }
  if (head.task.state === "succeeded.available") stream.retainedAt = 1_209_600_000
  return stream
}

/** Each artifact in the folder of its task. */
function withLocators(id: string, command: TaskCommand): TaskCommand {
  if (command.kind !== "succeed") return command
  const folder = toArtifactFolder(id, (text) => sha256([text]))
  const artifacts = command.artifacts.map((entry) => {
    return { ...entry, locator: `${folder}/${entry.key}/${entry.locator}` }
  })
  return { ...command, artifacts }
}

/** Ten tasks of two accounts: succeeded, failed, expired, deferred, doubtful, running, queued. */
export function createSampleLog(toId = (name: string) => `task-${name}`): SampleLog {
  const images: Usage = { images: 2, inputVideosMs: [], outputVideoMs: 0 }
  const video: Usage = { images: 0, inputVideosMs: [1_500], outputVideoMs: 5_005 }
  const [ann, ben] = [submission("ann", EDIT), submission("ben", VIDEO)]
  const accept: TaskCommand = {
    kind: "accept",
    operation: { id: "op", step: 1 },
    upstreamKey: "key-1",
  }
  const doubt: TaskCommand = { kind: "doubt", attempt: 1, code: "connection_lost" }
  const defer: TaskCommand = { kind: "defer", attempt: 1, reason: "busy", retryAt: 2_000 }
  const fail: TaskCommand = { kind: "fail", attempt: 1, code: "no_output" }
  const billed: TaskCommand = {
    ...fail,
    billed: { chargeMicros: 20_000, usage: { ...images, images: 1 } },
  }
  const advance: TaskCommand = { kind: "progress", attempt: 1, progress: 40 }
  return createLog([
    createStream(toId("0"), [ann, dispatch(), accept, advance, success(EDIT, images)]),
    createStream(toId("1"), [ben, dispatch(), accept, success(VIDEO, video)]),
    createStream(toId("2"), [ben, dispatch(), accept, fail]),
    createStream(toId("3"), [ann, dispatch(), accept, billed]),
    createStream(toId("4"), [ann, dispatch(), success(EDIT, images), { kind: "expire" }]),
    createStream(toId("5"), [ann, dispatch(), defer]),
    createStream(toId("6"), [ann, dispatch(), doubt]),
    createStream(toId("7"), [
      ann,
      dispatch(),
      doubt,
      dispatch(),
      accept,
      { ...advance, attempt: 2 },
    ]),
    createStream(toId("8"), [ben]),
    createStream(toId("9"), [ben, { ...fail, attempt: 0, code: "task_cancelled" }]),
  ])
}

export function createLog(streams: SampleStream[]): SampleLog {
  const requests: ScanRequest[] = []
  const log: SampleLog = {
    streams,
    requests,
    totals: [],
    listBundles: async () => [],
    listSegments: async () => [],
    definitions: new Map(),
    findDefinition: async (digest) => log.definitions.get(digest),
    listDefinitions: async (kind) =>
      [...log.definitions.values()].filter((each) => each.kind === kind),
    scan(request) {
      requests.push(request)
      const rest = streams.filter(({ id }) => id > request.after)
      const page: ScannedStream[] = rest.slice(0, request.limit).map((each) => ({ ...each }))
      const next = rest.length > page.length ? (page.at(-1)?.id ?? null) : null
      return Promise.resolve({ streams: page, next })
    },
    scanTotals: () => Promise.resolve(log.totals),
  }
  return log
}

/** What a bill is read from: the log, its rows of charges as they stand, and its definitions. */
export type BillStorage = Pick<Storage, "listCharges" | "listDefinitions" | "readEvents">

export function createBillStorage({ listDefinitions, streams }: SampleLog): BillStorage {
  return {
    listDefinitions,
    readEvents: async (task) => streams.find(({ id }) => id === task)?.events ?? [],
    async listCharges({ account, after, from, limit, to }) {
      const isBehind = ({ at, task }: ChargeRow): boolean =>
        after === undefined || at > after.at || (at === after.at && task > after.task)
      const rows = streams
        .flatMap(({ charge }) => charge ?? [])
        .filter((row) => row.account === account && row.at >= from && row.at < to && isBehind(row))
        .toSorted((one, other) => one.at - other.at || (one.task < other.task ? -1 : 1))
      const charges = rows.slice(0, limit)
      const last = rows.length > limit ? charges.at(-1) : undefined
      return { charges, next: last === undefined ? null : { at: last.at, task: last.task } }
    },
  }
}

/** Alters one stored event and seals it and all behind it anew, as a forger with the code would. */
export function reseal(stream: SampleStream, version: number, change: Partial<StoredEvent>): void {
  let previous = stream.events[version - 2]?.hash ?? GENESIS_HASH
  stream.events = stream.events.map((event) => {
    if (event.version < version) return event
    const changed = event.version === version ? { ...event, ...change } : event
    previous = hashEvent(sha256, previous, changed)
    return { ...changed, hash: previous }
  })
}

export function streamOf(log: SampleLog, id: string): SampleStream {
  const stream = log.streams.find((each) => each.id === id)
  assert.ok(stream !== undefined, id)
  return stream
}

/** Changes the stored text of one event and leaves its hash. */
export function alter(stream: SampleStream, version: number, change: Partial<StoredEvent>): void {
  stream.events = stream.events.map((event) =>
    event.version === version ? { ...event, ...change } : event,
  )
}

/** Where the artifacts of a stream are, by its row. */
export function listLocators({ row }: Pick<SampleStream, "row">): readonly string[] {
  const { artifacts = [] } = row === undefined ? {} : fromSnapshot(row.snapshot)
  return artifacts.map(({ locator }) => locator)
}
