/** What an audit found. One that could not read everything proves nothing, and says so. */
import type { AuditKind, AuditReport } from "@safelight/client"
import type { JSX } from "preact"
import { Facts, type Fact } from "../../design/facts.tsx"
import { formatDuration } from "../../design/moment.tsx"
import { Money } from "../../design/money.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Mark } from "../../design/status-mark.tsx"
import "./audit-report.css"

const count = new Intl.NumberFormat()

const WHOLE: Readonly<Record<AuditKind, string>> = {
  verify: "Every chain of events holds.",
  replay: "The log makes the tasks and the bill as they are shown.",
}

const OUTCOMES: Readonly<Record<AuditReport["outcome"], string>> = {
  whole: "Whole",
  differs: "Differs",
  could_not_tell: "Could not tell",
}

export interface AuditReportViewProps {
  readonly kind: AuditKind
  readonly report: AuditReport
  readonly tookMs: number
}

export function AuditReportView({ kind, report, tookMs }: AuditReportViewProps): JSX.Element {
  const { findings, finding_count: found, foreign_rows: foreignRows, outcome } = report
  const facts: Fact[] = [
    ["Tasks", count.format(report.tasks)],
    ["Events", count.format(report.events)],
    ["Findings", count.format(found)],
    ["Took", formatDuration(tookMs)],
  ]
  if (kind === "replay") facts.push(["The log charges", <Money micros={report.charge_micros} />])
  if (foreignRows > 0) facts.push(["Of another release, not compared", count.format(foreignRows)])
  return (
    <div class="stack">
      <div>
        <Mark look={outcome === "whole" ? "succeeded" : "failed"}>{OUTCOMES[outcome]}</Mark>
        {outcome === "whole" && <p>{WHOLE[kind]}</p>}
        {outcome === "could_not_tell" && <p>Not everything could be read: this proves nothing.</p>}
      </div>
      <div class="audit-facts">
        <Facts facts={facts} />
      </div>
      {findings.length > 0 && <Findings findings={findings} />}
      {found > findings.length && (
        <p class="soft">
          {findings.length} of {count.format(found)} findings are shown.{" "}
          <code>safelight audit</code> tells more.
        </p>
      )}
    </div>
  )
}

const TITLES = ["Task", "Version", "Kind", "What was found"]

function Findings({ findings }: Pick<AuditReport, "findings">): JSX.Element {
  const rows = findings.map((finding, index) => ({
    id: String(index),
    cells: [
      <code>{finding.task_id ?? "–"}</code>,
      finding.version ?? "–",
      finding.kind,
      <bdi class="audit-words">{finding.words}</bdi>,
    ],
  }))
  return <PlainTable label="Findings" titles={TITLES} rows={rows} />
}
