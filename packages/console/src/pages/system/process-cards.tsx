/** The process that answered: what it runs, how its commits go, how much of its memory and its time is taken. */
import type { System } from "@safelight/client"
import type { JSX } from "preact"
import { Facts, type Fact } from "../../design/facts.tsx"
import { formatDuration, Moment } from "../../design/moment.tsx"

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const megabytes = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "megabyte",
  maximumFractionDigits: 0,
})
const milliseconds = new Intl.NumberFormat(undefined, {
  style: "unit",
  unit: "millisecond",
  maximumFractionDigits: 1,
})

export function ProcessCards({ system }: { readonly system: System }): JSX.Element {
  const { commits, event_loop: eventLoop, memory } = system
  return (
    <div class="cards">
      <Card id="process" title="This process" facts={toProcessFacts(system)} />
      <Card
        id="commits"
        title={`Commits of the last ${formatDuration(commits.period_ms)}`}
        facts={[
          ["Batches", number.format(commits.batches)],
          ["Failed", number.format(commits.failed_batches)],
          ["Changes a batch", number.format(commits.mean_size)],
          ["Half took at most", milliseconds.format(commits.p50_ms)],
          ["99 % took at most", milliseconds.format(commits.p99_ms)],
        ]}
      />
      <Card
        id="load"
        title="Memory and delay"
        facts={[
          ["Resident", megabytes.format(memory.resident_bytes / 1e6)],
          ["Heap in use", megabytes.format(memory.heap_used_bytes / 1e6)],
          ["Outside the heap", megabytes.format(memory.external_bytes / 1e6)],
          ["Event loop, 99 %", milliseconds.format(eventLoop.p99_delay_ms)],
          ["Event loop, longest", milliseconds.format(eventLoop.max_delay_ms)],
        ]}
      />
    </div>
  )
}

function toProcessFacts({ database, role, started_at: startedAt, versions }: System): Fact[] {
  return [
    ["Safelight", versions.service],
    ["Node", versions.node],
    ["Database", `${DATABASES[database.kind] ?? database.kind} ${database.version}`],
    ["Schema", String(database.schema)],
    ["Role", role],
    ["Started", <Moment atMs={startedAt * 1_000} />],
  ]
}

const DATABASES: Readonly<Record<string, string>> = { sqlite: "SQLite", postgresql: "PostgreSQL" }

interface CardProps {
  readonly id: string
  readonly title: string
  readonly facts: readonly Fact[]
}

function Card({ id, title, facts }: CardProps): JSX.Element {
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Facts facts={facts} />
    </section>
  )
}
