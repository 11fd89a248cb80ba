/**
 * Audits of the whole log within the service, one at a time. A page is read once its reader asks for the next
 * message, so that a slow reader slows the audit and nothing piles up:
 *
 *     begin ── next ── progress … ── next ── report ── over
 *       └ end, or the service stops: over
 */
import type {
  AuditCounts,
  AuditFindingView,
  AuditSummary,
  Log,
  OperatorAudits,
} from "@safelight/core"

/** How the log is audited; `createAudit` of `@safelight/audit` makes one, and its `describeFinding` the words. */
export interface Auditor {
  /** Reads a page each time that it is asked for the next value, and returns the report. */
  examine(kind: "replay" | "verify"): AsyncGenerator<AuditCounts, AuditReport>
  /** A finding in words for people. */
  describe(finding: Finding): string
}

type Finding = Omit<AuditFindingView, "words">

interface AuditReport extends Omit<AuditSummary, "chargeMicros" | "findings"> {
  readonly chargeMicros: { readonly total: number }
  readonly findings: readonly Finding[]
}

export interface Audits extends OperatorAudits {
  /** Ends the one that runs; from then on none begins. */
  stop(): void
}

export function createAudits({
  audit,
  log,
}: {
  readonly audit: Auditor
  readonly log: Log
}): Audits {
  let running: { readonly onEnd: () => void } | undefined
  let isStopped = false
  return {
    begin(kind, onEnd) {
      if (running !== undefined || isStopped) return undefined
      const own = { onEnd }
      const steps = audit.examine(kind)
      let isOver = false
      function end(): void {
        isOver = true
        if (running === own) running = undefined
      }
      running = own
      return {
        end,
        async next() {
          if (isOver || isStopped) return undefined
          try {
            const step = await steps.next()
            if (step.done !== true) return { kind: "progress", progress: step.value }
            end()
            return { kind: "report", report: toSummary(step.value, audit) }
          } catch (error) {
            end()
            log.error({ error, kind }, "audit failed")
            throw error
          }
        },
      }
    },
    stop() {
      isStopped = true
      running?.onEnd()
    },
  }
}

function toSummary(report: AuditReport, audit: Auditor): AuditSummary {
  const { events, findingCount, findings, foreignRows, outcome, tasks } = report
  return {
    outcome,
    tasks,
    events,
    findingCount,
    foreignRows,
    chargeMicros: report.chargeMicros.total,
    findings: findings.map((finding) => ({
      kind: finding.kind,
      task: finding.task,
      version: finding.version,
      words: audit.describe(finding),
    })),
  }
}
