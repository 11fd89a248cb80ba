/**
 * The storage over a driver: every method of the port is implemented in this package once. A driver that has no
 * way of its own to write the log gets it written step by step.
 */
import { SILENT_LOG, type Log, type Storage } from "@safelight/core"
import { createAccountMethods } from "./accounts.ts"
import { createAllTasksMethod } from "./all-tasks.ts"
import { createArchiveMethods } from "./archive.ts"
import { createArchivedStreams } from "./archived-streams.ts"
import { createChannelMethods } from "./channels.ts"
import { createDefinitionMethods } from "./definitions.ts"
import { createDeploymentMethods } from "./deployment.ts"
import type { Database, Driver } from "./sql/driver.ts"
import { createFeedWatch } from "./feed-watch.ts"
import { createFeedMethods } from "./feeds.ts"
import { createInsightMethods } from "./insight.ts"
import { createJudgedMomentMethods } from "./judged-moments.ts"
import { createKeyMethods } from "./keys.ts"
import { createLeaseMethods } from "./leases.ts"
import { createLinkMethods } from "./links.ts"
import { createListMethod } from "./lists.ts"
import { createLogMethods } from "./log-methods.ts"
import { createStepLog } from "./log-steps.ts"
import { createLongReads } from "./sql/long-reads.ts"
import { createOperatorChangeMethods } from "./operator-changes.ts"
import { createQueueMethods } from "./queue.ts"
import { createRateMethods } from "./rates.ts"
import { createReadMethods } from "./reads.ts"
import { createRecentTasks } from "./recent-tasks.ts"
import { createReplicaReads } from "./replica-reads.ts"
import { createScanMethod } from "./scans.ts"
import { createCompiler } from "./sql/statement.ts"
import { createTaskRowMethod } from "./task-rows.ts"
import { createTransferMethods } from "./transfers.ts"
import { createTreeMethods } from "./tree.ts"
import { createWakeUps } from "./wake-ups.ts"
import { createWebhookMethods } from "./webhooks.ts"

export function createStorage(driver: Driver, log: Log = SILENT_LOG): Storage {
  const compiler = createCompiler(driver.dialect)
  const { close: closeLongReads, ...longReads } = createLongReads(driver.answer)
  const database: Database = { ...driver, ...longReads }
  const wakeUps = driver.notifications && createWakeUps(driver.notifications, log)
  const recent = createRecentTasks()
  const learn = (): Promise<unknown> => feeds.listFeeds()
  const feedWatch = createFeedWatch({ others: wakeUps, learn, log, recent })
  const feeds = createFeedMethods(database, compiler, { watch: feedWatch, recent })
  const archived = createArchivedStreams(database, compiler)
  const replica = driver.replica && createReplicaReads(driver, driver.replica, compiler, archived)
  const onQueued = wakeUps?.noteQueued ?? (() => {})
  const writeLog = driver.writeLog ?? createStepLog(driver, compiler)
  let closing: Promise<void> | undefined

  function close(): Promise<void> {
    wakeUps?.close()
    closeLongReads()
    replica?.close()
    return driver.close()
  }

  return {
    ...createAccountMethods(database, compiler),
    ...createAllTasksMethod(database, compiler, archived),
    ...createArchiveMethods(database, compiler, archived),
    ...createChannelMethods(database, compiler),
    ...createDefinitionMethods(database, compiler),
    ...createDeploymentMethods(database, compiler),
    ...feeds,
    ...createInsightMethods(database, compiler),
    ...createJudgedMomentMethods(database, compiler),
    ...createKeyMethods(database, compiler),
    ...createLeaseMethods(database.queue, compiler, onQueued),
    ...createLinkMethods(database, compiler),
    ...createListMethod(database, compiler, archived),
    ...createLogMethods(writeLog, { onAppended: feedWatch.noteAppended, onQueued }),
    ...createOperatorChangeMethods(database, compiler),
    ...createQueueMethods(database, compiler, { log, onFreed: onQueued }),
    ...createRateMethods(database, compiler),
    ...createReadMethods(database, compiler, archived),
    ...createScanMethod(database, compiler, archived),
    ...createTaskRowMethod(database, compiler),
    ...createTransferMethods(database, compiler),
    ...createTreeMethods(database, compiler, archived),
    ...createWebhookMethods(database, compiler),
    ...replica?.reads,
    ...wakeUps?.methods,
    onFed: feedWatch.onFed,
    ...(feedWatch.noteWatched && { noteWatched: feedWatch.noteWatched }),
    ...(driver.readClock && { readClock: driver.readClock }),
    check: driver.check,
    close: () => (closing ??= close()),
  }
}
