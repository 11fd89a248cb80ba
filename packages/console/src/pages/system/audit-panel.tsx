/** Proves the log: starts an audit, shows how far it is, cancels it, and shows its report. */
import type { AuditKind } from "@safelight/client"
import { Fragment, type JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Failure } from "../../design/failure.tsx"
import { useClient } from "../../session/session.ts"
import { AuditReportView } from "./audit-report.tsx"
import { auditRun, cancelAudit, startAudit, type AuditRun } from "./audit-run.ts"
import "./audit-panel.css"

const KINDS: readonly AuditKind[] = ["verify", "replay"]

const WORDS = {
  verify: {
    verb: "Verify",
    running: "Verifying",
    proves: "that no event was altered, removed or put between others",
  },
  replay: {
    verb: "Replay",
    running: "Replaying",
    proves: "that the log makes the tasks and the bill as they are shown",
  },
} as const

const count = new Intl.NumberFormat()

export function AuditPanel(): JSX.Element {
  const client = useClient()
  const { value: run } = auditRun
  return (
    <section class="card stack" aria-labelledby="audit">
      <h2 id="audit">Audit</h2>
      {run?.state === "running" ? (
        <Running run={run} />
      ) : (
        <div class="audit-kinds">
          {KINDS.map((kind) => (
            <Fragment key={kind}>
              <Button onPress={() => startAudit(client, kind)}>{WORDS[kind].verb}</Button>
              <span class="soft">proves {WORDS[kind].proves}</span>
            </Fragment>
          ))}
        </div>
      )}
      <Outcome run={run} />
    </section>
  )
}

type RunningAudit = Extract<AuditRun, { readonly state: "running" | "cancelled" }>

function Running({
  run: { expectedTasks, kind, progress },
}: {
  readonly run: RunningAudit
}): JSX.Element {
  const { events = 0, finding_count: findings = 0, tasks = 0 } = progress ?? {}
  // More were found than were expected: then nobody knows how many there are.
  const isKnown = expectedTasks !== undefined && expectedTasks >= tasks && expectedTasks > 0
  return (
    <div class="stack">
      <progress
        class="audit-bar"
        aria-label={`${WORDS[kind].running} the log`}
        {...(isKnown && { max: expectedTasks, value: tasks })}
      />
      <div class="line spread">
        <span class="number">
          {WORDS[kind].running}: {count.format(tasks)}
          {isKnown && ` of about ${count.format(expectedTasks)}`} tasks, {count.format(events)}{" "}
          events, {count.format(findings)} findings
        </span>
        <Button onPress={cancelAudit}>Cancel</Button>
      </div>
    </div>
  )
}

/** Told to screen readers as it changes; how far a running one is would be too much. */
function Outcome({ run }: { readonly run: AuditRun | undefined }): JSX.Element {
  const client = useClient()
  return (
    <div role="status" class="audit-outcome">
      {run?.state === "cancelled" && (
        <p>Cancelled after {toTasks(run.progress?.tasks ?? 0)}. That proves nothing.</p>
      )}
      {run?.state === "failed" && (
        <Failure error={run.error} onRetry={() => startAudit(client, run.kind)} />
      )}
      {run?.state === "reported" && <AuditReportView {...run} />}
    </div>
  )
}

function toTasks(tasks: number): string {
  return tasks === 1 ? "1 task" : `${count.format(tasks)} tasks`
}
