/**
 * Storage in memory, for tests that turn on a manual clock: nothing in it waits for I/O, so a test
 * decides every order. It passes the storage contract like any adapter, but for what needs constraints,
 * and can be told to fail. Nothing is copied: what a caller changes later is changed here too.
 */
import {
  SafelightError,
  type Admission,
  type AdmitRequest,
  type Append,
  type ArtifactRow,
  type ChargeRow,
  type Input,
  type OutcomeRow,
  type Storage,
  type StoredEvent,
  type StreamHead,
  type TaskRow,
  fold,
  fromSnapshot,
  openEvent,
  toTaskRow,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import { listRows } from "./list-rows.ts"
import { createMemoryAccounts } from "./memory-accounts.ts"
import { createMemoryChannels } from "./memory-channels.ts"
import { createMemoryDeployment, type MemoryDeployment } from "./memory-deployment.ts"
import { createMemoryMoves, type StoredUse } from "./memory-moves.ts"
import { createMemoryQueue } from "./memory-queue.ts"

export interface MemoryStorage extends Storage, Omit<MemoryDeployment, keyof Storage> {
  readonly events: ReadonlyMap<string, readonly StoredEvent[]>
  readonly inputs: ReadonlyMap<string, Input>
  /** The next `times` appends and admissions reject; where `isStored`, they took place all the same. */
  failAppends(times: number, isStored?: boolean): void
  /**
   * Takes a task back to `version`, as a standby that had not received what followed has it after a
   * failover; held by `claim`, or by nobody. 0 removes it.
   */
  goBack(task: string, version: number, claim?: string): void
}

export function createMemoryStorage(): MemoryStorage {
  const events = new Map<string, StoredEvent[]>()
  const rows = new Map<string, TaskRow>()
  const artifacts = new Map<string, ArtifactRow[]>()
  const charges = new Map<string, ChargeRow>()
  const outcomes = new Map<string, OutcomeRow[]>()
  const inputs = new Map<string, Input>()
  let uses: readonly StoredUse[] = []
  let failures = 0
  let isStoredAnyway = false

  const { move, listUnfinished, ...queue } = createMemoryQueue(headOf)
  const { addTotals, findFullBound, listLinkEpochs, restoreLinkEpoch, ...accounts } =
    createMemoryAccounts({
      charges,
      findUnfinished: (account) =>
        listUnfinished()
          .flatMap((id) => rows.get(id) ?? [])
          .filter((row) => row.account === account),
    })

  function headOf(id: string): StreamHead | undefined {
    const row = rows.get(id)
    return row && { task: fromSnapshot(row.snapshot), hash: row.hash }
  }

  function goBack(id: string, version: number, claim: string | null = null): void {
    const kept = (events.get(id) ?? []).slice(0, version)
    const hash = kept.at(-1)?.hash ?? ""
    const task = fold(id, kept.map(openEvent))
    artifacts.delete(id)
    charges.delete(id)
    const lastKept = kept.at(-1)?.at ?? 0
    const isFinished = kept.some(({ type }) => type === "succeeded" || type === "failed")
    const left = (outcomes.get(id) ?? []).filter(
      ({ at, outcome }) => at <= lastKept && (outcome === "deferred" || isFinished),
    )
    outcomes.set(id, left)
    if (version === 0) {
      events.delete(id)
      rows.delete(id)
      move({ task: id, changes: { task }, queue: { kind: "finish", retainAt: null } })
      return
    }
    events.set(id, kept)
    rows.set(id, toTaskRow(task, hash))
    const { createdAt: dueAt, endBy } = task
    const place = { kind: "enqueue", dueAt, endBy, claim, turn: null } as const
    move({ task: id, changes: { task }, queue: place })
  }

  function isStored({ task, events: added }: Append): boolean {
    const newest = added.at(-1)
    return (events.get(task) ?? []).some(({ hash }) => hash === newest?.hash)
  }

  function store(append: Append): void {
    const { task, changes } = append
    const stored = events.get(task) ?? []
    if (stored.at(-1)?.hash !== append.expectedHash) {
      if (isStored(append)) return
      throw new SafelightError({ code: "version-conflict", message: `task ${task} has moved on` })
    }
    outcomes.set(task, addOutcomes(outcomes.get(task), changes.outcomes))
    events.set(task, [...stored, ...append.events])
    rows.set(task, changes.task)
    artifacts.set(task, [...(artifacts.get(task) ?? []), ...changes.artifacts])
    if (changes.charge !== undefined) charges.set(task, changes.charge)
    if (changes.totals !== undefined) addTotals(changes.task.account, changes.totals)
    for (const input of append.inputs ?? []) {
      const name = `${input.task}/${input.name}`
      if (!inputs.has(name)) inputs.set(name, input)
    }
    move(append)
  }

  function admit({ append, idempotency }: AdmitRequest): Admission {
    const { task } = append.changes
    if (isStored(append)) return { kind: "admitted" }
    const known = uses.find(
      ({ account, key }) => account === task.account && key === idempotency?.key,
    )
    if (known !== undefined) {
      return { kind: "known", task: known.task, fingerprint: known.fingerprint }
    }
    const limit = findFullBound(task)
    if (limit !== undefined) return { kind: "refused", limit }
    store(append)
    if (idempotency !== undefined) {
      uses = [...uses, { ...idempotency, account: task.account, task: task.id }]
    }
    return { kind: "admitted" }
  }

  function failing<Result>(write: () => Result): Result {
    if (failures === 0) return write()
    failures -= 1
    if (isStoredAnyway) write()
    const message = "the database does not answer"
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
  }

  const moves = createMemoryMoves({
    inputs,
    listUses: () => uses,
    addUse: (use) => void (uses = [...uses, use]),
    listLinkEpochs,
    restoreLinkEpoch,
  })

  return {
    ...accounts,
    ...queue,
    ...moves,
    ...createMemoryChannels({
      listUnfinished: () => listUnfinished().flatMap((id) => headOf(id)?.task ?? []),
      listOutcomes: () => [...outcomes.values()].flat(),
    }),
    ...createMemoryDeployment(),
    events,
    inputs,
    failAppends(times, isStoredToo = false) {
      failures = times
      isStoredAnyway = isStoredToo
    },
    goBack,
    append: async (append) => failing(() => store(append)),
    admit: async (request) => failing(() => admit(request)),
    async forgetIdempotency({ usedBefore, limit }) {
      const oldest = uses
        .filter(({ usedAt }) => usedAt < usedBefore)
        .toSorted((a, b) => a.usedAt - b.usedAt)
        .slice(0, limit)
      uses = uses.filter((use) => !oldest.includes(use))
      return oldest.length
    },
    readTask: async (id) => headOf(id),
    listTasks: async (request) => listRows([...rows.values()], request),
    readArtifacts: async (task) => artifacts.get(task) ?? [],
    readEvents: async (task) => events.get(task) ?? [],
    async eraseInputs(task, { keepsIdempotency } = { keepsIdempotency: false }) {
      const names = [...inputs.values()].filter((input) => input.task === task)
      for (const { name } of names) inputs.delete(`${task}/${name}`)
      if (!keepsIdempotency) uses = uses.filter((use) => use.task !== task)
      return names.length > 0
    },
    readInput: async ({ task, name }) => inputs.get(`${task}/${name}`),
    async scan({ after, limit }) {
      const known = [...new Set([...rows.keys(), ...events.keys()])]
      const ids = known.filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
      const streams = ids.slice(0, limit).map((id) => ({
        id,
        events: events.get(id) ?? [],
        row: rows.get(id),
        artifacts: artifacts.get(id) ?? [],
        charge: charges.get(id),
        outcomes: outcomes.get(id) ?? [],
      }))
      return { streams, next: ids.length > limit ? (ids[limit - 1] ?? null) : null }
    },
    async replaceTaskRow(row) {
      const known = rows.get(row.id)
      if (known?.version === row.version && known.hash === row.hash) rows.set(row.id, row)
    },
    async check() {},
    async close() {},
  }
}

/** As the key of a table of them has it. */
function addOutcomes(known: OutcomeRow[] = [], added: readonly OutcomeRow[]): OutcomeRow[] {
  const all = [...known, ...added]
  if (new Set(all.map(({ attempt }) => attempt)).size === all.length) return all
  const message = "an attempt has two outcomes"
  throw new SafelightError({ code: "storage-unavailable", message })
}
