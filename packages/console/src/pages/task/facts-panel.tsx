/** What else is known of a task: its times, its labels, and why each channel was chosen. */
import type { Task, TaskEvent, TaskUsage } from "@safelight/client"
import type { JSX } from "preact"
import { Facts, type Fact } from "../../design/facts.tsx"
import { formatDuration, Moment } from "../../design/moment.tsx"
import { toHref } from "../../router/route.ts"

export interface FactsPanelProps {
  readonly task: Task
  readonly events: readonly TaskEvent[]
  readonly cost: TaskUsage
}

export function FactsPanel({ task, events, cost }: FactsPanelProps): JSX.Element {
  const dispatches = events.filter(({ type }) => type === "dispatched")
  const labels = Object.entries(cost.labels)
  return (
    <>
      {dispatches.length > 0 && (
        <section class="card task-panel" aria-labelledby="routing">
          <h2 id="routing">Routing</h2>
          <ol class="task-routing">
            {dispatches.map(({ version, attempt, channel, because }) => (
              <li key={version}>
                <span class="soft">{attempt}.</span> <code>{channel}</code>
                {because !== undefined && <span class="soft"> – {because}</span>}
              </li>
            ))}
          </ol>
        </section>
      )}
      <section class="card task-panel" aria-labelledby="times">
        <h2 id="times">Times</h2>
        <Facts facts={toTimes(task, events)} />
      </section>
      {labels.length > 0 && (
        <section class="card task-panel" aria-labelledby="labels">
          <h2 id="labels">Labels</h2>
          <ul class="line">
            {labels.map(([name, value]) => (
              <li key={name}>
                <a href={toHref(["tasks"], { label: `${name}=${value}` })}>
                  <bdi>
                    {name}={value}
                  </bdi>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function toTimes({ created_at, finished_at }: Task, events: readonly TaskEvent[]): Fact[] {
  const first = events.at(0)?.at_ms
  const sent = events.find(({ type }) => type === "dispatched")?.at_ms
  const end = events.find(({ type }) => type === "succeeded" || type === "failed")?.at_ms
  const facts: Fact[] = [["Made", <Moment atMs={created_at * 1000} />]]
  if (finished_at > 0) facts.push(["Finished", <Moment atMs={finished_at * 1000} />])
  if (first !== undefined && sent !== undefined)
    facts.push(["Waited", formatDuration(sent - first)])
  if (first !== undefined && end !== undefined) facts.push(["Took", formatDuration(end - first)])
  return facts
}
