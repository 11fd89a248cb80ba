/**
 * The part of the storage in memory that has no tasks: accounts and their totals, keys, links, rates. Totals
 * are kept only for accounts with a limit; those of others are counted from the tasks, which the caller
 * hands in.
 */
import {
  NO_LIMITS,
  SafelightError,
  type Account,
  type AccountStorage,
  type AccountTotals,
  type ArtifactLinkEpoch,
  type ChargeListRequest,
  type ChargePage,
  type ChargePosition,
  type ChargeRow,
  type ChargesRequest,
  type ChargeSum,
  type KeyStorage,
  type Labels,
  type LinkEpochRestore,
  type LinkKey,
  type LinkScope,
  type LinkStorage,
  type RateName,
  type RateStorage,
  type StoredKey,
  type TaskRow,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import { hasLabels } from "./list-rows.ts"

export interface MemoryAccounts extends AccountStorage, KeyStorage, LinkStorage, RateStorage {
  /** Adds to the totals of an account, if they are kept. */
  readonly addTotals: (account: string, change: AccountTotals) => void
  /** The limit that leaves no room for a new task. */
  readonly findFullBound: (row: TaskRow) => "budget" | "unfinished-tasks" | undefined
  readonly findRunningLimit: (account: string) => number | null
  /** Of a task's artifacts whose links were revoked, by key. */
  readonly listLinkEpochs: (task: string) => readonly ArtifactLinkEpoch[]
  readonly restoreLinkEpoch: (request: LinkEpochRestore) => void
}

export interface MemoryAccountsOptions {
  readonly charges: ReadonlyMap<string, ChargeRow>
  /** By task. */
  readonly labels: ReadonlyMap<string, Labels>
  /** The rows of an account's unfinished tasks. */
  readonly findUnfinished: (account: string) => readonly TaskRow[]
}

export function createMemoryAccounts(options: MemoryAccountsOptions): MemoryAccounts {
  const { charges, findUnfinished, labels } = options
  const accounts = new Map<string, Account>()
  const kept = new Map<string, AccountTotals>()

  function makeAccount(id: string, createdAt: number): Account {
    const account = accounts.get(id) ?? { ...NO_LIMITS, id, createdAt }
    accounts.set(id, account)
    return account
  }

  function count(account: string): AccountTotals {
    const unfinished = findUnfinished(account)
    const charged = [...charges.values()].filter((row) => row.account === account)
    return {
      chargedMicros: sum(charged, ({ chargeMicros }) => chargeMicros),
      reservedMicros: sum(unfinished, ({ reservationMicros }) => reservationMicros),
      unfinishedTasks: unfinished.length,
    }
  }

  return {
    addTotals(account, change) {
      const totals = kept.get(account)
      if (totals !== undefined) kept.set(account, add(totals, change))
    },
    findFullBound({ account: id, reservationMicros }) {
      const { budgetMicros, unfinishedTasks } = accounts.get(id) ?? NO_LIMITS
      const totals = kept.get(id) ?? count(id)
      const spentMicros = totals.chargedMicros + totals.reservedMicros
      if (budgetMicros !== null && spentMicros + reservationMicros > budgetMicros) return "budget"
      const isFull = unfinishedTasks !== null && totals.unfinishedTasks >= unfinishedTasks
      return isFull ? "unfinished-tasks" : undefined
    },
    findRunningLimit: (id) => accounts.get(id)?.runningTasks ?? null,
    findAccount: async (id) => accounts.get(id),
    listAccounts: async () => [...accounts.values()].toSorted((a, b) => compareIds(a.id, b.id)),
    async setAccount({ id, now, settings }) {
      const account = { ...makeAccount(id, now), ...settings }
      accounts.set(id, account)
      if (account.budgetMicros === null && account.unfinishedTasks === null) kept.delete(id)
      else if (!kept.has(id)) kept.set(id, count(id))
      return account
    },
    readTotals: async (account) => kept.get(account) ?? count(account),
    scanTotals: async () =>
      [...kept]
        .toSorted(([a], [b]) => compareIds(a, b))
        .map(([account, totals]) => ({ account, kept: totals, counted: count(account) })),
    async sumCharges(request) {
      const all = [...charges.values()]
      const meant = all.filter(({ task }) => hasLabels(labels.get(task), request.labels))
      return sumCharges(meant, request)
    },
    listCharges: async (request) => listCharges([...charges.values()], request),
    ...createKeys(makeAccount),
    ...createLinks(makeAccount, (id) => accounts.has(id)),
    ...createRates(),
  }
}

type MakeAccount = (id: string, createdAt: number) => Account

function createKeys(makeAccount: MakeAccount): KeyStorage {
  const keys = new Map<string, StoredKey>()

  function createKey(key: StoredKey): void {
    if (keys.has(key.id)) {
      throw new SafelightError({ code: "already-exists", message: "the key exists" })
    }
    makeAccount(key.account, key.createdAt)
    keys.set(key.id, key)
  }

  return {
    createKey: async (key) => createKey(key),
    async createFirstKey(key) {
      if (keys.size > 0) return false
      createKey(key)
      return true
    },
    findKey: async (id) => keys.get(id),
    listKeys: async () =>
      [...keys.values()].toSorted((a, b) => a.createdAt - b.createdAt || compareIds(a.id, b.id)),
    async revokeKey({ id, revokedAt }) {
      const key = keys.get(id)
      if (key !== undefined && key.revokedAt === 0) keys.set(id, { ...key, revokedAt })
      return key !== undefined
    },
    async rotateKey({ id, expiresAt, successor }) {
      const key = keys.get(id)
      if (key === undefined || key.revokedAt !== 0) return false
      createKey(successor)
      const endsBefore = key.expiresAt !== 0 && key.expiresAt <= expiresAt
      if (!endsBefore) keys.set(id, { ...key, expiresAt })
      return true
    },
  }
}

type MemoryLinks = LinkStorage & Pick<MemoryAccounts, "listLinkEpochs" | "restoreLinkEpoch">

const ofAccount = (account: string): string => JSON.stringify([account])
const ofArtifact = (task: string, key: string): string => JSON.stringify([task, key])
const nameOf = (scope: LinkScope): string =>
  scope.kind === "account" ? ofAccount(scope.account) : ofArtifact(scope.task, scope.key)

function createLinks(makeAccount: MakeAccount, isKnown: (account: string) => boolean): MemoryLinks {
  const epochs = new Map<string, number>()
  let linkKeys: readonly LinkKey[] = []
  return {
    readLinkKeys: async () => linkKeys,
    async addLinkKey(key) {
      if (linkKeys.some(({ id }) => id === key.id)) return
      linkKeys = [key, ...linkKeys].slice(0, 2)
    },
    async readLinkEpoch({ account, task, key }) {
      return (epochs.get(ofAccount(account)) ?? 0) + (epochs.get(ofArtifact(task, key)) ?? 0)
    },
    async raiseLinkEpoch(scope) {
      if (scope.kind === "account") makeAccount(scope.account, scope.now)
      epochs.set(nameOf(scope), (epochs.get(nameOf(scope)) ?? 0) + 1)
    },
    listLinkEpochs: (task) =>
      [...epochs]
        .map(([name, epoch]) => ({ name: JSON.parse(name) as string[], epoch }))
        .filter(({ name }) => name.length === 2 && name[0] === task)
        .map(({ name, epoch }) => ({ key: name[1] ?? "", epoch }))
        .toSorted((a, b) => compareIds(a.key, b.key)),
    restoreLinkEpoch({ scope, epoch }) {
      if (scope.kind === "account" && !isKnown(scope.account)) return
      epochs.set(nameOf(scope), Math.max(epoch, epochs.get(nameOf(scope)) ?? 0))
    },
  }
}

const toName = ({ account, policy }: RateName): string => JSON.stringify([account, policy])

function createRates(): RateStorage {
  const moments = new Map<string, number>()
  return {
    readRate: async (name) => moments.get(toName(name)) ?? 0,
    async advanceRate({ from, to, ...name }) {
      if ((moments.get(toName(name)) ?? 0) !== from) return false
      moments.set(toName(name), to)
      return true
    },
  }
}

function sumCharges(
  charges: readonly ChargeRow[],
  { account, from, to }: ChargesRequest,
): readonly ChargeSum[] {
  const meant = charges.filter((row) => row.account === account && row.at >= from && row.at < to)
  const groups = Map.groupBy(meant, ({ model, priceVersion }) =>
    JSON.stringify([model, priceVersion]),
  )
  return [...groups.values()]
    .flatMap((rows) => {
      const [first] = rows
      if (first === undefined) return []
      const { model, priceVersion } = first
      return {
        model,
        priceVersion,
        tasks: rows.length,
        images: sum(rows, ({ images }) => images),
        outputVideoMs: sum(rows, ({ outputVideoMs }) => outputVideoMs),
        outputAudioMs: sum(rows, ({ outputAudioMs }) => outputAudioMs),
        characters: sum(rows, ({ characters }) => characters),
        tokens: sum(rows, ({ tokens }) => tokens),
        billedInputMs: sum(rows, ({ billedInputMs }) => billedInputMs),
        chargeMicros: sum(rows, ({ chargeMicros }) => chargeMicros),
      }
    })
    .toSorted((a, b) => compareIds(a.model, b.model) || compareIds(a.priceVersion, b.priceVersion))
}

function listCharges(
  charges: readonly ChargeRow[],
  { account, after, from, limit, to }: ChargeListRequest,
): ChargePage {
  const listed = charges
    .filter((row) => row.account === account && row.at >= from && row.at < to)
    .filter((row) => after === undefined || comparePositions(row, after) > 0)
    .toSorted(comparePositions)
  const shown = listed.slice(0, limit)
  const last = listed.length > limit ? shown.at(-1) : undefined
  return { charges: shown, next: last === undefined ? null : { at: last.at, task: last.task } }
}

function comparePositions(one: ChargePosition, other: ChargePosition): number {
  return one.at - other.at || compareIds(one.task, other.task)
}

function add(one: AccountTotals, other: AccountTotals): AccountTotals {
  return {
    chargedMicros: one.chargedMicros + other.chargedMicros,
    reservedMicros: one.reservedMicros + other.reservedMicros,
    unfinishedTasks: one.unfinishedTasks + other.unfinishedTasks,
  }
}

function sum<Row>(rows: readonly Row[], toAmount: (row: Row) => number): number {
  return rows.reduce((total, row) => total + toAmount(row), 0)
}
