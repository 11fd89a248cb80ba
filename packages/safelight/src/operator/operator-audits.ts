/**
 * Audits of the whole log within the service, one at a time. A page is read once its reader asks for the next
 * message, so that a slow reader slows the audit and nothing piles up:
 *
 *     begin ── next ── progress … ── next ── report ── over
 *       └ end, or the service stops: over
 */
import { createAudit, describeFinding, type Audit, type AuditReport } from "@safelight/audit"
import type {
  AuditSummary,
  Digest,
  Log,
  Model,
  OperatorAudits,
  PriceBook,
  Storage,
} from "@safelight/core"

export interface OperatorAuditsOptions {
  readonly storage: Pick<Storage, "scan" | "scanTotals">
  readonly digest: Digest
  readonly prices: PriceBook
  readonly models: readonly Model[]
  readonly log: Log
}

export interface ServiceAudits extends OperatorAudits {
  /** Ends the one that runs; from then on none begins. */
  stop(): void
}

export function createOperatorAudits({ log, ...options }: OperatorAuditsOptions): ServiceAudits {
  const audit = createAudit(options)
  let running: { readonly onEnd: () => void } | undefined
  let isStopped = false
  return {
    begin(kind, onEnd) {
      if (running !== undefined || isStopped) return undefined
      const own = { onEnd }
      const steps: ReturnType<Audit["examine"]> = audit.examine(kind)
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
            return { kind: "report", report: toSummary(step.value) }
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

function toSummary({ chargeMicros, findings, ...report }: AuditReport): AuditSummary {
  const { events, findingCount, foreignRows, outcome, tasks } = report
  return {
    outcome,
    tasks,
    events,
    findingCount,
    foreignRows,
    chargeMicros: chargeMicros.total,
    findings: findings.map((finding) => ({
      kind: finding.kind,
      task: finding.task,
      version: finding.version,
      words: describeFinding(finding),
    })),
  }
}
