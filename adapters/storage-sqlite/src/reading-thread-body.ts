/**
 * The thread of long reads: answers one after the other, each on the newest state. It imports
 * nothing that must be installed, so it starts from this file alone, as source or as built.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { isTooLarge, toFailure } from "./failure.ts"
import type { LongRead, LongReadAnswer, LongReadSettings } from "./reading-thread.ts"

if (parentPort === null) throw new Error("reading-thread-body.ts is the body of a worker thread")
const port = parentPort
const { file, busyTimeoutMs } = workerData as LongReadSettings
const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
const prepared = new Map<string, StatementSync>()

function read({ sql, parameters }: LongRead): LongReadAnswer {
  try {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return { rows: statement.all(...parameters) }
  } catch (error) {
    return { failure: toFailure(error), isTooLarge: isTooLarge(error) }
  }
}

port.on("message", (request: LongRead) => port.postMessage(read(request)))
