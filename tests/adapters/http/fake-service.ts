/**
 * A task service, keys and artifact bytes in memory. Tests set what it holds and what fails, and
 * ask how many readers are open; it keeps nothing of the engine's rules but the models' checks.
 */
import { createHash } from "node:crypto"
import {
  createApiKeyParts,
  emptyTask,
  formatApiKey,
  isSafelightError,
  MODELS,
  SafelightError,
  toArtifactRows,
  toStatus,
  type ApiKeyScope,
  type ArtifactReader,
  type ListRequest,
  type ManifestEntry,
  type OpenArtifactRequest,
  type SafelightErrorCode,
  type StoredKey,
  type Task,
  type TaskService,
} from "@safelight/core"

export const ACCOUNT = "account-a"
const ALL_SCOPES: readonly ApiKeyScope[] = ["tasks:write", "tasks:read", "artifacts:read"]

export interface FakeReader {
  /** Called before each read; may wait or throw. */
  beforeRead?: () => void | Promise<void>
  /** Bytes a read yields at most. */
  maxReadBytes?: number
  totalBytes?: number
}

export function createFakeKeys() {
  const stored = new Map<string, StoredKey>()
  let lookups = 0
  let made = 0
  return {
    lookups: () => lookups,
    stored,
    async findKey(id: string) {
      lookups += 1
      return stored.get(id)
    },
    /** Stores a key and gives its text. */
    add(changes: Partial<StoredKey> = {}): string {
      made += 1
      const parts = createApiKeyParts(createHash("sha512").update(`key ${made}`).digest())
      stored.set(parts.id, {
        id: parts.id,
        account: ACCOUNT,
        secretSha256: createHash("sha256").update(parts.secret).digest("hex"),
        scopes: ALL_SCOPES,
        createdAt: 0,
        revokedAt: 0,
        expiresAt: 0,
        ...changes,
      })
      return formatApiKey(parts)
    },
    change(key: string, changes: Partial<StoredKey>) {
      const id = key.slice("sl_live_".length, "sl_live_".length + 10)
      const known = stored.get(id)
      if (known === undefined) throw new Error("no such key")
      stored.set(id, { ...known, ...changes })
    },
  }
}

export function createFakeService() {
  const tasks = new Map<string, Task>()
  const bytes = new Map<string, Uint8Array>()
  const submitted: { model: string; parameters: unknown }[] = []
  const opened: OpenArtifactRequest[] = []
  const listed: ListRequest[] = []
  const reader: FakeReader = {}
  let openReaders = 0
  let failure: unknown
  let finds = 0

  function failIfAsked(): void {
    if (failure !== undefined) throw failure
  }

  const service: TaskService = {
    async submit({ account, model: id, parameters }) {
      failIfAsked()
      const model = MODELS.find((each) => each.id === id)
      if (model === undefined) {
        return { kind: "rejected", rejection: { code: "model-not-found", model: id } }
      }
      const check = model.check(parameters)
      if (check.kind === "invalid") {
        return { kind: "rejected", rejection: { code: "invalid-parameters", issues: check.issues } }
      }
      submitted.push({ model: id, parameters })
      const task = toTask(taskId(1_000_000 + submitted.length), { account, model: id })
      tasks.set(task.id, task)
      return { kind: "submitted", task }
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
      const task = tasks.get(id)
      return task?.account === account ? { task, artifacts: toArtifactRows(task) } : undefined
    },
    async openArtifact(request) {
      failIfAsked()
      opened.push(request)
      const whole = bytes.get(request.artifact.place)
      if (whole === undefined) throw outside("artifact-missing")
      openReaders += 1
      return read(whole, request)
    },
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
    bytes,
    submitted,
    opened,
    listed,
    reader,
    openReaders: () => openReaders,
    finds: () => finds,
    /** What every later call throws; undefined: nothing. */
    fail(error: unknown) {
      failure = error
    },
    put(task: Task): Task {
      tasks.set(task.id, task)
      return task
    },
  }
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
    mimeType: "image/png",
    place: `${id}/image_1`,
    sha256: createHash("sha256").update(content).digest("hex"),
    type: "image",
    ...entry,
  }
  fake.bytes.set(artifact.place, content)
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
