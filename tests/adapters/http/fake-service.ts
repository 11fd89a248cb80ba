/**
 * A task service and artifact bytes in memory. Tests set what it holds and what fails, and ask how
 * many readers are open; of the engine's rules it keeps the models' checks and idempotency alone.
 */
import { createHash } from "node:crypto"
import {
  billedInputMs,
  DEFAULT_PRICES,
  emptyTask,
  findPrice,
  isSafelightError,
  MODELS,
  SafelightError,
  toArtifactRows,
  toStatus,
  type ArtifactReader,
  type CallbackService,
  type ChargesRequest,
  type FoundArtifacts,
  type ListRequest,
  type ManifestEntry,
  type OpenArtifactRequest,
  type Rejection,
  type SafelightErrorCode,
  type SubmitRequest,
  type SubmitResult,
  type Task,
  type TaskEvent,
  type TaskService,
  type UsageReport,
} from "@safelight/core"
import { ACCOUNT } from "./fake-storage.ts"

export { ACCOUNT }

/** Of an account that nothing was set for. */
const NO_USAGE: UsageReport = {
  charges: [],
  totals: { chargedMicros: 0, reservedMicros: 0, unfinishedTasks: 0 },
  budgetMicros: null,
}

export interface FakeReader {
  /** Called before each read; may wait or throw. */
  beforeRead?: () => void | Promise<void>
  /** Bytes a read yields at most. */
  maxReadBytes?: number
  totalBytes?: number
}

export function createFakeService() {
  const tasks = new Map<string, Task>()
  const bytes = new Map<string, Uint8Array>()
  const submitted: { model: string; parameters: unknown }[] = []
  const requests: SubmitRequest[] = []
  const summed: ChargesRequest[] = []
  /** By account and idempotency key. */
  const used = new Map<string, { fingerprint: string; task: string }>()
  /** By task. */
  const events = new Map<string, readonly TaskEvent[]>()
  const opened: OpenArtifactRequest[] = []
  const listed: ListRequest[] = []
  const reader: FakeReader = {}
  let openReaders = 0
  let failure: unknown
  let rejection: Rejection | undefined
  let report = NO_USAGE
  let finds = 0

  function failIfAsked(): void {
    if (failure !== undefined) throw failure
  }

  /** What each callback's body was, once it was read. */
  const callbacks: string[] = []

  /** By the key: `forged` and `taken` are addresses, nothing else is. */
  const callbackService: CallbackService = {
    async receiveCallback({ key, readBody }) {
      failIfAsked()
      if (key !== "forged" && key !== "taken") return "unknown"
      callbacks.push(Buffer.from(await readBody()).toString("latin1"))
      return key
    },
  }

  const service: TaskService = {
    async submit(request) {
      failIfAsked()
      requests.push(request)
      const { account, model: id, parameters, idempotency } = request
      const model = MODELS.find((each) => each.id === id)
      if (model === undefined) return reject({ code: "model-not-found", model: id })
      const check = model.check(parameters)
      if (check.kind === "invalid") {
        return reject({ code: "invalid-parameters", issues: check.issues })
      }
      const name = `${account} ${idempotency?.key}`
      const earlier = idempotency && used.get(name)
      if (earlier !== undefined && earlier.fingerprint !== idempotency?.fingerprint) {
        return reject({ code: "idempotency-key-reused" })
      }
      const known = earlier && tasks.get(earlier.task)
      if (known !== undefined) return { kind: "submitted", task: known, isReplayed: true }
      if (rejection !== undefined) return reject(rejection)
      submitted.push({ model: id, parameters })
      const task = toTask(taskId(1_000_000 + submitted.length), { account, model: id })
      tasks.set(task.id, task)
      if (idempotency) used.set(name, { fingerprint: idempotency.fingerprint, task: task.id })
      return { kind: "submitted", task, isReplayed: false }
    },
    async findTask({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      finds += 1
      const task = tasks.get(id)
      return task?.account === account ? task : undefined
    },
    async listTasks(request) {
      failIfAsked()
      listed.push(request)
      const models = MODELS.map(({ id }) => id)
      const { account, model, status, after, limit } = request
      if (model !== undefined && !models.includes(model)) return { kind: "unknown-model", models }
      const found = [...tasks.values()]
        .filter((task) => task.account === account && task.model === (model ?? task.model))
        .filter((task) => status === undefined || toStatus(task) === status)
        .filter((task) => after === undefined || task.id < after.id)
        .toSorted((one, other) => (one.id < other.id ? 1 : -1))
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      return { kind: "listed", tasks: shown, next: last ?? null }
    },
    async findArtifacts({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      const found = findWithArtifacts(id)
      return found?.task.account === account ? found : undefined
    },
    async findLinked(id) {
      failIfAsked()
      refuseOddId(id)
      return findWithArtifacts(id)
    },
    async listEvents({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      return tasks.get(id)?.account === account ? (events.get(id) ?? []) : undefined
    },
    async findUsage({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      const task = tasks.get(id)
      if (task?.account !== account) return undefined
      const price = findPrice(DEFAULT_PRICES, task.priceVersion, task.model)
      return { task, price, billedInputMs: billedInputMs(task.usage?.inputVideosMs ?? []) }
    },
    async sumUsage(request) {
      failIfAsked()
      summed.push(request)
      return report
    },
    async openArtifact(request) {
      failIfAsked()
      opened.push(request)
      const whole = bytes.get(request.artifact.locator)
      if (whole === undefined) throw outside("artifact-missing")
      openReaders += 1
      return read(whole, request)
    },
  }

  function findWithArtifacts(id: string): FoundArtifacts | undefined {
    const task = tasks.get(id)
    return task && { task, artifacts: toArtifactRows(task) }
  }

  function read(whole: Uint8Array, { start = 0, end = whole.length - 1 }: OpenArtifactRequest) {
    let at = start
    let isOpen = true
    const artifactReader: ArtifactReader = {
      totalBytes: reader.totalBytes ?? whole.length,
      async read(into) {
        if (!isOpen) throw new Error("read after close")
        await reader.beforeRead?.()
        const length = Math.min(into.length, reader.maxReadBytes ?? Infinity, end + 1 - at)
        into.set(whole.subarray(at, at + length))
        at += length
        return length
      },
      async close() {
        if (isOpen) openReaders -= 1
        isOpen = false
      },
    }
    return artifactReader
  }

  return {
    service,
    tasks,
    events,
    bytes,
    callbackService,
    callbacks,
    /** What became a task. */
    submitted,
    /** Whatever was submitted, as it was. */
    requests,
    opened,
    listed,
    summed,
    reader,
    openReaders: () => openReaders,
    finds: () => finds,
    /** What every later call throws; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    /** Why every later submission with valid parameters is rejected; undefined: it is not. */
    refuse(why: Rejection | undefined) {
      rejection = why
    },
    /** What `sumUsage` resolves to. */
    setReport(changes: Partial<UsageReport>) {
      report = { ...NO_USAGE, ...changes }
    },
    put(task: Task): Task {
      tasks.set(task.id, task)
      return task
    },
  }
}

function reject(rejection: Rejection): SubmitResult {
  return { kind: "rejected", rejection }
}

/** As a database that takes only UUIDs, or no U+0000, would. */
function refuseOddId(id: string): void {
  if (id !== id.toLowerCase() || !/^[0-9a-f-]{36}$/.test(id)) throw new TypeError("not a UUID")
}

export type FakeService = ReturnType<typeof createFakeService>

/** A UUID that differs by `number` alone. */
export function taskId(number: number): string {
  return `01890000-0000-7000-8000-${String(number).padStart(12, "0")}`
}

export function toTask(id: string, changes: Partial<Task> = {}): Task {
  return {
    ...emptyTask(id),
    account: ACCOUNT,
    model: "vendor-a/v4.1/flash/text-to-image",
    createdAt: 1_767_225_600_900,
    state: "queued",
    version: 1,
    ...changes,
  }
}

/** A finished task with one artifact of `content`, its bytes stored. */
export function putArtifact(
  fake: FakeService,
  content: Uint8Array,
  changes: Partial<ManifestEntry> & { id?: string; account?: string } = {},
): Task {
  const { id = taskId(1), account = ACCOUNT, ...entry } = changes
  const artifact: ManifestEntry = {
    bytes: content.length,
    durationMs: null,
    expiresAt: 1_767_225_600_000 + 86_400_000,
    key: "image_1",
    locator: `${id}/image_1`,
    mimeType: "image/png",
    sha256: createHash("sha256").update(content).digest("hex"),
    type: "image",
    ...entry,
  }
  fake.bytes.set(artifact.locator, content)
  return fake.put(
    toTask(id, {
      account,
      artifacts: [artifact],
      attempt: 1,
      finishedAt: 1_767_225_600_900,
      progress: 100,
      state: "succeeded.available",
    }),
  )
}

export function outside(code: SafelightErrorCode, retryAfterMs?: number): SafelightError {
  const error = new SafelightError({
    code,
    message: `${code} at https://inner.example/secret`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  if (!isSafelightError(error)) throw new Error("not marked")
  return error
}
