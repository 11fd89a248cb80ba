/**
 * A task service and artifact bytes in memory. Tests set what it holds and what fails, and ask how
 * many readers are open; of the engine's rules it keeps the models' checks and idempotency alone.
 */
import { createHash } from "node:crypto"
import {
  billedInputMs,
  currentPrices,
  DEFAULT_PRICES,
  emptyTask,
  findPrice,
  isSafelightError,
  MODELS,
  SafelightError,
  toArtifacts,
  toQuoteLines,
  toStatus,
  type ArtifactReader,
  type Balance,
  type CallbackService,
  type Cancellation,
  type ChargesRequest,
  type FoundArtifacts,
  type HoldRefusal,
  type HoldRequest,
  type ListTasksRequest,
  type ManifestEntry,
  type OpenArtifactRequest,
  type Rejection,
  type SafelightErrorCode,
  type UnavailableReason,
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
  const requested = new Map<string, SubmitRequest>()
  const submitted: { model: string; parameters: unknown }[] = []
  const requests: SubmitRequest[] = []
  const summed: ChargesRequest[] = []
  const held: HoldRequest[] = []
  let holdRefusal: HoldRefusal | undefined
  /** By account and idempotency key. */
  const used = new Map<string, { fingerprint: string; task: string }>()
  /** By task. */
  const events = new Map<string, readonly TaskEvent[]>()
  const opened: OpenArtifactRequest[] = []
  const listed: ListTasksRequest[] = []
  /** By task. */
  const prompts = new Map<string, string>()
  const reader: FakeReader = {}
  const cancelled: string[] = []
  /** What waits for the end of each task. */
  const waiting = new Map<string, PromiseWithResolvers<Task>[]>()
  let cancelOutcome: Cancellation["outcome"] = "stopped"
  let openReaders = 0
  let failure: unknown
  let rejection: Rejection | undefined
  let report = NO_USAGE
  let balance: Balance = {
    budgetMicros: null,
    reservedMicros: 0,
    chargedMicros: 0,
    leftMicros: null,
  }
  let finds = 0
  let unavailable: ReadonlyMap<string, UnavailableReason> = new Map()

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
      requested.set(task.id, request)
      if (idempotency) used.set(name, { fingerprint: idempotency.fingerprint, task: task.id })
      return { kind: "submitted", task, isReplayed: false }
    },
    async cancel({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      const task = tasks.get(id)
      if (task?.account !== account) return undefined
      cancelled.push(id)
      return { outcome: cancelOutcome, task }
    },
    async finished(id, { signal } = {}) {
      failIfAsked()
      refuseOddId(id)
      const left = Promise.withResolvers<never>()
      const leave = (): void => left.reject(outside("aborted"))
      if (signal?.aborted === true) leave()
      signal?.addEventListener("abort", leave)
      const end = Promise.withResolvers<Task>()
      waiting.set(id, [...(waiting.get(id) ?? []), end])
      try {
        return await Promise.race([end.promise, left.promise])
      } finally {
        signal?.removeEventListener("abort", leave)
        const others = (waiting.get(id) ?? []).filter((each) => each !== end)
        if (others.length === 0) waiting.delete(id)
        else waiting.set(id, others)
      }
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
      const page = { kind: "listed", tasks: shown, next: last ?? null } as const
      return request.withPrompts === true ? { ...page, prompts } : page
    },
    async findArtifacts({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      const found = findWithArtifacts(id)
      return found?.task.account === account ? found : undefined
    },
    async holdArtifacts(request) {
      failIfAsked()
      refuseOddId(request.id)
      const found = findWithArtifacts(request.id)
      if (found?.task.account !== request.account) return undefined
      held.push(request)
      return holdRefusal === undefined
        ? { kind: "held", ...found }
        : { kind: "refused", refusal: holdRefusal }
    },
    async findLinked(id) {
      failIfAsked()
      refuseOddId(id)
      return findWithArtifacts(id)
    },
    async listEvents({ account, after = 0, id, limit = Infinity }) {
      failIfAsked()
      refuseOddId(id)
      if (tasks.get(id)?.account !== account) return undefined
      const all = events.get(id) ?? []
      const next = all.length > after + limit ? after + limit : null
      return { events: all.slice(after, after + limit), next }
    },
    async findUsage({ account, id }) {
      failIfAsked()
      refuseOddId(id)
      const task = tasks.get(id)
      if (task?.account !== account) return undefined
      const price = findPrice(DEFAULT_PRICES, task.priceVersion, task.model)
      const labels = requested.get(id)?.labels ?? {}
      const inputMs = billedInputMs(task.usage?.inputVideosMs ?? [])
      const images = task.usage?.images ?? 0
      return {
        task,
        labels,
        price,
        factors: [],
        billedInputMs: inputMs,
        imagesAsked: images === 0 ? null : images,
      }
    },
    async sumUsage(request) {
      failIfAsked()
      summed.push(request)
      return report
    },
    async quote({ model: id, parameters }) {
      failIfAsked()
      const model = MODELS.find((each) => each.id === id)
      if (model === undefined) return reject({ code: "model-not-found", model: id })
      const check = model.check(parameters)
      if (check.kind === "invalid") {
        return reject({ code: "invalid-parameters", issues: check.issues })
      }
      const { version: priceVersion, models } = currentPrices(DEFAULT_PRICES)
      const [price, usage] = [models[id] ?? {}, model.estimate(check.parameters)]
      const logged = model.toLogged(check.parameters)
      const maxCostMicros = model.charge(usage, price, logged)
      const lines = toQuoteLines({ parameters: logged, price, usage }, maxCostMicros)
      const terms = { priceVersion, maxCostMicros, validUntil: 1_767_229_200_000 }
      return { kind: "quoted", quote: { ...terms, model: id, price, lines } }
    },
    async readBalance() {
      failIfAsked()
      return balance
    },
    async listUnavailable() {
      return unavailable
    },
    currentPrices() {
      failIfAsked()
      return currentPrices(DEFAULT_PRICES)
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
    return task && { task, artifacts: toArtifacts(task) }
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
    failIfAsked,
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
    prompts,
    summed,
    /** What was to be held. */
    held,
    reader,
    /** The tasks that were to be cancelled. */
    cancelled,
    /** What every later cancellation comes to. */
    setCancelOutcome(outcome: Cancellation["outcome"]) {
      cancelOutcome = outcome
    },
    countWaits: () => [...waiting.values()].reduce((sum, waits) => sum + waits.length, 0),
    /** Puts a task that is finished, and ends the waits for it. */
    finish(task: Task) {
      tasks.set(task.id, task)
      for (const end of waiting.get(task.id) ?? []) end.resolve(task)
    },
    openReaders: () => openReaders,
    finds: () => finds,
    /** Throws what every call is to throw. */
    throwFailure() {
      if (failure !== undefined) throw failure
    },
    /** What every later call throws; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    /** Why every later submission with valid parameters is rejected; undefined: it is not. */
    refuse(why: Rejection | undefined) {
      rejection = why
    },
    /** The models that nobody can make from now on, and why. */
    miss(models: ReadonlyMap<string, UnavailableReason>) {
      unavailable = models
    },
    /** Why every later hold is refused; undefined: it is not. */
    refuseHold(why: HoldRefusal | undefined) {
      holdRefusal = why
    },
    /** What `sumUsage` resolves to. */
    setReport(changes: Partial<UsageReport>) {
      report = { ...NO_USAGE, ...changes }
    },
    /** What `readBalance` resolves to. */
    setBalance(value: Balance) {
      balance = value
    },
    put(task: Task): Task {
      tasks.set(task.id, task)
      return task
    },
  }
}

function reject(rejection: Rejection): Extract<SubmitResult, { kind: "rejected" }> {
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
