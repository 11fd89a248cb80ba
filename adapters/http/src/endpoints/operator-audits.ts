/**
 * POST /v1/admin/audits: an audit of the whole log, as server-sent events. It reads a page once the client has taken
 * what was sent before, and ends with the connection: an audit that nobody watches costs nothing.
 */
import { fields, type AuditMessage, type AuditSummary, type RunningAudit } from "@safelight/core"
import * as v from "valibot"
import { jsonBody } from "../request/json-body.ts"
import { toEventText } from "../streams/event-text.ts"
import type { TextSource } from "../streams/open-stream.ts"
import { sendStream } from "../streams/send-stream.ts"
import { defineOperatorEndpoint, OPERATOR_KEY } from "./operator-endpoint.ts"

const auditRequest = jsonBody({
  schema: fields({ kind: v.picklist(["verify", "replay"]) }),
  example: { kind: "verify" },
})

export const streamAudit = defineOperatorEndpoint({
  method: "POST",
  path: "/v1/admin/audits",
  about: {
    id: "streamAudit",
    summary: "Prove the log, and watch how far it is",
    description:
      "`verify` proves every task's chain of hashes; `replay` proves that folding the log makes the live rows, the " +
      "bill and the kept totals. Server-sent events: `progress` after each page of tasks, with `tasks`, `events` and " +
      "`finding_count`, and one last `report`, with `outcome` (`whole`, `differs` or `could_not_tell`), `tasks`, `events`, " +
      "`finding_count`, `foreign_rows`, `charge_micros`, and the first 100 `findings`, each with `kind`, `task_id`, " +
      "`version` and `words`. A stream that ends without a report proves nothing.",
  },
  query: {},
  body: auditRequest,
  answers: {
    200: {
      description: "The audit, which ends with the connection.",
      types: ["text/event-stream"],
      always: ["X-Request-Id", "Cache-Control", "X-Content-Type-Options", "X-Accel-Buffering"],
    },
  },
  refusals: ["audit_running", "concurrency_limit_exceeded", "overloaded"],
}).handle((insight, services) => async (call) => {
  const { kind } = await call.body()
  call.releaseBody()
  let audit: RunningAudit | undefined
  return sendStream(services, {
    exchange: call,
    scopes: OPERATOR_KEY.scopes,
    async watch({ onEnd }) {
      audit = insight.audits.begin(kind, onEnd)
      if (audit === undefined) throw call.refuse("audit_running")
      return audit
    },
    toTexts: () => ({ source: toSource(() => audit?.next()) }),
  })
})

function toSource(next: () => Promise<AuditMessage | undefined> | undefined): TextSource {
  let sent = 0
  return {
    async next() {
      const message = await next()
      if (message === undefined) return null
      sent += 1
      const data = JSON.stringify(toBody(message))
      return toEventText({ id: String(sent), event: message.kind, data })
    },
  }
}

function toBody(message: AuditMessage): object {
  if (message.kind === "report") return toReportBody(message.report)
  const { events, findingCount, tasks } = message.progress
  return { tasks, events, finding_count: findingCount }
}

function toReportBody(report: AuditSummary): object {
  const { chargeMicros, events, findingCount, findings, foreignRows, outcome, tasks } = report
  return {
    outcome: outcome.replaceAll("-", "_"),
    tasks,
    events,
    finding_count: findingCount,
    foreign_rows: foreignRows,
    charge_micros: chargeMicros,
    findings: findings.map(({ kind, task, version, words }) => ({
      kind,
      task_id: task,
      version,
      words,
    })),
  }
}
