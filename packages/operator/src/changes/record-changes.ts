/**
 * Records each change that an operator makes before it is made, with who makes it: through the API, by a command, or
 * by the link that signs a browser in. What would change nothing, such as revoking a key that does not exist, is not
 * recorded.
 */
import {
  SILENT_LOG,
  type Clock,
  type Log,
  type OperatorChange,
  type OperatorChangeStorage,
} from "@safelight/core"

export interface ChangeRecordOptions {
  readonly storage: Pick<OperatorChangeStorage, "addOperatorChange">
  readonly clock: Pick<Clock, "now">
  /** A new UUIDv7 of the moment `at` (ms), greater than every one before it. */
  readonly createId: (at: number) => string
  /** Gets a line for each change. */
  readonly log?: Log
}

export interface NewChange
  extends
    Pick<OperatorChange, "account" | "change" | "target">,
    Partial<Pick<OperatorChange, "details">> {}

/** Durable once resolved; rejects as the storage does, and then nothing may be changed. */
export type RecordChange = (changedBy: string, change: NewChange) => Promise<void>

export function createChangeRecord(options: ChangeRecordOptions): RecordChange {
  const { clock, createId, log = SILENT_LOG, storage } = options
  return async (changedBy, { details = {}, ...named }) => {
    const at = clock.now()
    await storage.addOperatorChange({ id: createId(at), at, changedBy, details, ...named })
    const { account, change, target } = named
    log.info({ changedBy, change, target, account }, "operator")
  }
}
