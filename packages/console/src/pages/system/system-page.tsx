/** The service from inside, for an operator: the queue, the process that answered, all nodes; and proving the log. */
import type { JSX } from "preact"
import { Failure } from "../../design/failure.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { useRefreshed } from "../../session/use-refreshed.ts"
import { AuditPanel } from "./audit-panel.tsx"
import { NodeTable } from "./node-table.tsx"
import { ProcessCards } from "./process-cards.tsx"
import { QueuePanel } from "./queue-panel.tsx"

const PAUSE_MS = 5_000

export function Page(): JSX.Element {
  const { admin } = useClient()
  const loading = useLoaded((signal) => admin.system({ signal }), [admin])
  useRefreshed(loading, PAUSE_MS)
  const { value: system, error } = loading.state.value
  return (
    <div class="stack">
      <PageHead title="System" />
      {error !== undefined && <Failure error={error} onRetry={loading.reload} />}
      {system === undefined && error === undefined && <Waiting />}
      {system !== undefined && (
        <>
          <QueuePanel system={system} />
          <ProcessCards system={system} />
          <NodeTable nodes={system.nodes} />
        </>
      )}
      <AuditPanel />
    </div>
  )
}
