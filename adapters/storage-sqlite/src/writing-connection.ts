/**
 * The connection that writes: one batch, one transaction, one sync. It runs in a thread of its own, so a sync
 * never blocks the event loop. A batch that fails is rolled back and run once more, with a savepoint around
 * each change, so that only a change at fault is left out. The second run is safe even if the first commit
 * succeeded after all: the version check stops appends; a repeated taking takes more tasks and leaves the
 * first ones with a holder that does not know of them; an expiry finds its lease gone; a rate is no longer at
 * its moment; an epoch rises twice.
 *
 * A commit that fails while syncing leaves its frames at the end of the log, commit mark included: the
 * rollback forgets them, but the next start would take them for committed. So a small commit overwrites them
 * before the batch is reported as undone. If that fails too, the outcome is unknown.
 *
 * Files that were deleted or replaced while they are open accept writes as before. So each batch begins by
 * checking that they are still in place; if the check itself fails, nothing is written either.
 */
import { basename } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { ChangeOutcome, SqlValue, StepResult } from "@safelight/store"
import { FILE_GONE, isChangeFault, isCutShort, toFailure, type Failure } from "./failure.ts"
import { watchFiles, type FileWatch } from "./file-watch.ts"
import { prepareArrays } from "./prepare-arrays.ts"
import {
  PLAIN,
  type EncodedChange,
  type StatementDefinition,
  type WriterAnswer,
  type WriterSettings,
} from "./protocol.ts"

export interface WritingConnection {
  define(definitions: readonly StatementDefinition[]): void
  /** If it returns without a failure, everything that it reports as stored is durable. Never throws. */
  commit(changes: readonly EncodedChange[]): WriterAnswer
  close(): void
}

interface PreparedStatement {
  readonly statement: StatementSync
  readonly parameterCount: number
  readonly isReader: boolean
}

interface BatchRun extends Omit<WriterAnswer, "isUndone"> {
  readonly hasRemains: boolean
}

type RunChange = (change: EncodedChange) => ChangeOutcome | Failure

export function openWritingConnection(settings: WriterSettings): WritingConnection {
  const database = new DatabaseSync(settings.file, { timeout: settings.busyTimeoutMs })
  configure(database, settings)
  const findGone = watchFiles([settings.file, `${settings.file}-wal`])
  const prepared: PreparedStatement[] = []
  const begin = database.prepare("begin immediate")
  const commit = database.prepare("commit")
  const run: RunChange = (change) => runChange(prepared, change)
  const runAlone: RunChange = (change) => runInSavepoint(database, run, change)

  /** `hasRemains` says that frames of a failed commit may stand whole in the log. */
  function runBatch(changes: readonly EncodedChange[], runOne: RunChange): BatchRun {
    let isCommitting = false
    try {
      begin.run()
      const outcomes = changes.map(runOne)
      isCommitting = true
      commit.run()
      return { failure: null, outcomes, hasRemains: false }
    } catch (error) {
      const failure = toFailure(error)
      // A full disk or an I/O error may have ended the transaction already.
      if (database.isTransaction) database.exec("rollback")
      return { failure, outcomes: [], hasRemains: isCommitting && !isCutShort(error) }
    }
  }

  /** A commit of one page, which takes the place of the frames that failed commits left. */
  function overwriteRemains(): boolean {
    try {
      database.exec("pragma user_version = 0")
      return true
    } catch {
      // It failed too: whether the next start finds the frames is unknown.
      return false
    }
  }

  return {
    define(definitions) {
      for (const { sql, parameterCount } of definitions) {
        const statement = prepareArrays(database, sql)
        const isReader = statement.columns().length > 0
        prepared.push({ statement, parameterCount, isReader })
      }
    },
    commit(changes) {
      const missing = lookForFiles(findGone)
      if (missing !== undefined) return { failure: missing, outcomes: [], isUndone: true }
      const first = runBatch(changes, run)
      if (first.failure === null) return { ...first, isUndone: false }
      const { failure, outcomes, hasRemains } = runBatch(changes, runAlone)
      if (failure === null) return { failure, outcomes, isUndone: false }
      const isUndone = !(first.hasRemains || hasRemains) || overwriteRemains()
      return { failure, outcomes, isUndone }
    },
    close() {
      database.close()
    },
  }
}

/** The reason why a batch must not be written, if there is one. */
function lookForFiles(findGone: FileWatch): Failure | undefined {
  try {
    const gone = findGone()
    if (gone === undefined) return undefined
    const message = `${basename(gone)} was deleted or replaced while it is in use: put it back, or stop the service and restore a backup of all files`
    return { resultCode: FILE_GONE, message }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : ""
    return { resultCode: FILE_GONE, message: `the database's files can't be looked at${code}` }
  }
}

function configure(database: DatabaseSync, settings: WriterSettings): void {
  // Opens the log as well, which stays the same file until the last connection closes.
  database.exec("pragma journal_mode = wal")
  // FULL syncs the log at every commit: what is acknowledged survives a loss of power.
  database.exec("pragma synchronous = full")
  // What is erased is overwritten, not only forgotten.
  database.exec("pragma secure_delete = on")
  database.exec(`pragma wal_autocheckpoint = ${settings.checkpointPages}`)
  // A log that long readers made grow gives its space back when it begins anew.
  database.exec(`pragma journal_size_limit = ${settings.maxLogBytes}`)
  if (settings.maxPages > 0) database.exec(`pragma max_page_count = ${settings.maxPages}`)
}

function runChange(prepared: readonly PreparedStatement[], change: EncodedChange): ChangeOutcome {
  const kind = Number(change[0])
  const results: StepResult[] = []
  let position = 1
  while (position < change.length) {
    const step = prepared[Number(change[position])]
    if (step === undefined) throw new RangeError("a change names a statement nobody defined")
    const end = position + 1 + step.parameterCount
    const result = runStep(step, change.slice(position + 1, end))
    if (results.length === kind && result === 0) return false
    results.push(result)
    if (results.length <= kind && typeof result === "object" && result.length > 0) return results
    position = end
  }
  return kind === PLAIN ? results : true
}

function runStep(
  { statement, isReader }: PreparedStatement,
  parameters: readonly SqlValue[],
): StepResult {
  if (isReader) return statement.all(...parameters) as unknown as SqlValue[][]
  return Number(statement.run(...parameters).changes)
}

function runInSavepoint(
  database: DatabaseSync,
  run: RunChange,
  change: EncodedChange,
): ChangeOutcome | Failure {
  database.exec("savepoint change")
  try {
    const outcome = run(change)
    database.exec("release change")
    return outcome
  } catch (error) {
    const failure = toFailure(error)
    if (!isChangeFault(failure) || !database.isTransaction) throw error
    database.exec("rollback to change; release change")
    return failure
  }
}
