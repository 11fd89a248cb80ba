/** What waits and what is worked on: now, and since the page was opened. */
import type { System } from "@safelight/client"
import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { Facts, type Fact } from "../../design/facts.tsx"
import { formatDuration } from "../../design/moment.tsx"
import { Plot } from "../../design/plot.tsx"
import { useHistory, type QueueSample } from "./use-history.ts"
import "./queue-panel.css"

const count = new Intl.NumberFormat()
const HEIGHT_PX = 180

export function QueuePanel({ system }: { readonly system: System }): JSX.Element {
  const history = useHistory(system)
  const { accounts, due, held, new: fresh, oldest_waiting_ms: oldestMs } = system.queue
  const facts: Fact[] = [
    ["Never begun", count.format(fresh)],
    ["Begun, due again", count.format(due)],
    ["Worked on", count.format(held)],
    ["Oldest waiting", oldestMs === 0 ? "none" : formatDuration(oldestMs)],
    ...accounts.map(({ account, tasks }): Fact => [`Of ${account}`, count.format(tasks)]),
  ]
  return (
    <section class="card stack" aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      <div class="queue-parts">
        <Facts facts={facts} />
        {history.value.length < 2 ? (
          <p class="soft">The plot begins with the next look, in a few seconds.</p>
        ) : (
          <QueuePlot samples={history.value} />
        )}
      </div>
    </section>
  )
}

function QueuePlot({ samples }: { readonly samples: readonly QueueSample[] }): JSX.Element {
  const atSeconds = useMemo(() => samples.map((sample) => sample.atSeconds), [samples])
  const series = useMemo(
    () => [
      { title: "Waiting", values: samples.map(({ waiting }) => waiting), color: "--accent" },
      { title: "Worked on", values: samples.map(({ held }) => held), color: "--running" },
    ],
    [samples],
  )
  return (
    <Plot
      label="Tasks that wait and tasks that are worked on, since this page was opened"
      atSeconds={atSeconds}
      series={series}
      kind="lines"
      format={(value) => (Number.isInteger(value) ? count.format(value) : "")}
      heightPx={HEIGHT_PX}
    />
  )
}
