/**
 * An audit of the whole log, as the service tells how far it is. Nothing is tried again: a connection that ends takes
 * the audit with it, and another would begin from the start.
 */
import { clientError } from "../connection/api-error.ts"
import type { Connection } from "../connection/connection.ts"
import { parseJson } from "../connection/read-body.ts"
import { readEvents, type ServerEvent } from "../streams/read-events.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

/** `verify` proves the chains of hashes, `replay` that the log makes the live rows and the bill. */
export type AuditKind = "verify" | "replay"

export interface AuditProgress {
  readonly type: "progress"
  readonly tasks: number
  readonly events: number
  readonly finding_count: number
}

export interface AuditReport {
  readonly type: "report"
  readonly outcome: "whole" | "differs" | "could_not_tell"
  readonly tasks: number
  readonly events: number
  readonly finding_count: number
  /** Rows of another release's projection, which are not compared. */
  readonly foreign_rows: number
  /** What the log charges. */
  readonly charge_micros: number
  /** The first 100. */
  readonly findings: readonly {
    readonly kind: string
    /** Null if it is of no task. */
    readonly task_id: string | null
    readonly version: number | null
    /** For people. */
    readonly words: string
  }[]
}

export type AuditMessage = AuditProgress | AuditReport

/** The last message is the report; rejects with `incomplete_answer` if the stream ends before it. */
export async function* streamAudit(
  connection: Connection,
  kind: AuditKind,
  { signal }: CallOptions,
): AsyncGenerator<AuditMessage, void, undefined> {
  const answer = await connection.open({
    method: "POST",
    path: "/v1/admin/audits",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ kind }),
    signal,
  })
  for await (const event of readEvents(
    answer.pieces(),
    connection.settings.answerBytes,
    () => {},
  )) {
    const message = toMessage(event)
    yield message
    if (message.type === "report") return
  }
  throw clientError("incomplete_answer", "the audit ended without a report")
}

function toMessage({ event, data }: ServerEvent): AuditMessage {
  const told = parseJson(data) as Partial<AuditReport> | undefined
  const isTold = Number.isSafeInteger(told?.tasks) && Number.isSafeInteger(told?.finding_count)
  const isReport = event === "report" && typeof told?.outcome === "string"
  if (isTold && (event === "progress" || (isReport && Array.isArray(told?.findings)))) {
    return { ...told, type: event } as AuditMessage
  }
  throw clientError("invalid_answer", "a message of the audit is not what the task API promises")
}
