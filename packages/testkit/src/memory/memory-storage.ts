/**
 * Storage in memory, for tests on a manual clock, and the model that generated runs of the contract compare
 * other storages with. Nothing in it waits for I/O, so a test decides every order. It passes the contract
 * with few divergences, and can be made to fail. Nothing is copied: an object that a caller changes later is
 * changed here too.
 */
import { SafelightError, type Input, type Storage, type StoredEvent } from "@safelight/core"
import { createMemoryAccounts } from "./memory-accounts.ts"
import { createMemoryArchive } from "./memory-archive.ts"
import { createMemoryAppends } from "./memory-appends.ts"
import { createMemoryChannels } from "./memory-channels.ts"
import { createMemoryDefinitions } from "./memory-definitions.ts"
import { createMemoryDeployment, type MemoryDeployment } from "./memory-deployment.ts"
import { createMemoryFeeds } from "./memory-feeds.ts"
import { createMemoryInsight } from "./memory-insight.ts"
import { createMemoryJudgedMoments } from "./memory-judged-moments.ts"
import { createMemoryOperatorChanges } from "./memory-operator-changes.ts"
import { createMemoryTransfers } from "./memory-transfers.ts"
import { createMemoryQueue } from "./memory-queue.ts"
import { createMemoryReads } from "./memory-reads.ts"
import { createMemoryTables, findHead } from "./memory-tables.ts"
import { createMemoryTree } from "./memory-tree.ts"
import { createMemoryWebhooks } from "./memory-webhooks.ts"

export interface MemoryStorage extends Storage, Omit<MemoryDeployment, keyof Storage> {
  readonly events: ReadonlyMap<string, readonly StoredEvent[]>
  readonly inputs: ReadonlyMap<string, Input>
  /** The next `times` appends and admissions reject; with `isStored` they are stored all the same. */
  failAppends(times: number, isStored?: boolean): void
  /**
   * Takes a task back to `version`, as a standby that had not received what followed has it after a
   * failover; held under `lease`, if there is one. 0 removes it. Feeds lose its last entries.
   */
  goBack(task: string, version: number, lease?: string): void
}

export function createMemoryStorage(): MemoryStorage {
  const tables = createMemoryTables()
  const { charges, events, inputs, outcomes, rows } = tables
  const queue = createMemoryQueue(
    (id) => findHead(tables, id),
    (account) => accounts.findRunningLimit(account),
  )
  const accounts = createMemoryAccounts({
    charges,
    labels: tables.labels,
    findUnfinished: (account) =>
      queue
        .listUnfinished()
        .flatMap((id) => rows.get(id) ?? [])
        .filter((row) => row.account === account),
  })
  const feeds = createMemoryFeeds()
  const { noteEvents, tree } = createMemoryTree(events)
  const appends = createMemoryAppends({ accounts, feeds, queue, tables, tree: { noteEvents } })
  const failing = createFailures()
  return {
    ...accounts,
    ...feeds,
    ...queue,
    ...createMemoryTransfers({
      inputs,
      labels: tables.labels,
      listUses: () => tables.uses,
      addUse: (use) => void (tables.uses = [...tables.uses, use]),
      listLinkEpochs: accounts.listLinkEpochs,
      restoreLinkEpoch: accounts.restoreLinkEpoch,
    }),
    ...createMemoryArchive(tables, queue),
    ...createMemoryChannels({
      listUnfinished: () =>
        queue.listUnfinished().flatMap((id) => findHead(tables, id)?.task ?? []),
      listOutcomes: () => [...outcomes.values()].flat(),
    }),
    ...createMemoryInsight({
      listPlaces: queue.listPlaces,
      listOutcomes: () => [...outcomes.values()].flat(),
      findAccount: (task) => rows.get(task)?.account ?? "",
    }),
    ...createMemoryDefinitions(),
    ...createMemoryDeployment(),
    ...createMemoryJudgedMoments(),
    ...createMemoryOperatorChanges(),
    ...tree,
    ...createMemoryWebhooks(feeds.feeds),
    ...createMemoryReads(tables, queue),
    events,
    inputs,
    failAppends: failing.begin,
    goBack: (task, version, lease) => appends.goBack(task, version, lease ?? null),
    append: async (append) => failing.run(() => appends.append(append)),
    admit: async (request) => failing.run(() => appends.admit(request)),
    async check() {},
    async close() {},
  }
}

interface Failures {
  readonly begin: (times: number, isStored?: boolean) => void
  readonly run: <Result>(write: () => Result) => Result
}

function createFailures(): Failures {
  let left = 0
  let isStoredAnyway = false
  return {
    begin(times, isStored = false) {
      left = times
      isStoredAnyway = isStored
    },
    run(write) {
      if (left === 0) return write()
      left -= 1
      if (isStoredAnyway) write()
      const message = "the database does not answer"
      throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
    },
  }
}
