/** The processes that work on tasks, and their leases. What an older release does not tell is a dash. */
import type { System } from "@safelight/client"
import type { JSX } from "preact"
import { Empty } from "../../design/empty.tsx"
import { Moment } from "../../design/moment.tsx"
import { PlainTable } from "../../design/plain-table.tsx"

const TITLES = ["Host", "Role", "In flight", "Heartbeat", "Started", "Lease"]

export function NodeTable({ nodes }: Pick<System, "nodes">): JSX.Element {
  const rows = nodes.map((node) => ({
    id: node.lease,
    cells: [
      <bdi>{node.host ?? "–"}</bdi>,
      node.role ?? "–",
      node.in_flight,
      toMoment(node.heartbeat_at),
      toMoment(node.started_at),
      <code>{node.lease}</code>,
    ],
  }))
  return (
    <section class="card stack" aria-labelledby="nodes">
      <h2 id="nodes">Nodes</h2>
      {nodes.length === 0 ? (
        <Empty title="No process works on tasks">Tasks wait until one is started.</Empty>
      ) : (
        <PlainTable label="Nodes and their leases" titles={TITLES} rows={rows} />
      )}
    </section>
  )
}

function toMoment(atSeconds: number | null): JSX.Element | string {
  return atSeconds === null ? "–" : <Moment atMs={atSeconds * 1_000} />
}
