/** How a channel fared over the last day: what came of its tasks, and how long they took; and both as a table. */
import type { Channel } from "@safelight/client"
import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { formatDuration } from "../../design/moment.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Plot } from "../../design/plot.tsx"
import { fillHours, type Hour } from "./day-hours.ts"
import "./channel-plots.css"

const HEIGHT_PX = 180
const time = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
})
const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })

export function ChannelPlots({ channel }: { readonly channel: Channel }): JSX.Element {
  const filled = fillHours(channel.hours, Date.now())
  // The page loads the channels again and again: plots are drawn again only if a number has changed.
  const hours = useMemo(() => filled, [JSON.stringify(filled)])
  if (channel.hours.length === 0) {
    return <p class="soft">Nothing of it has ended in the last 24 hours.</p>
  }
  return (
    <>
      <div class="channel-plots">
        <figure>
          <figcaption>What came of its tasks</figcaption>
          <Outcomes name={channel.name} hours={hours} />
        </figure>
        <figure>
          <figcaption>How long they took</figcaption>
          <Latency name={channel.name} hours={hours} />
        </figure>
      </div>
      <details>
        <summary>By hour, as a table</summary>
        <HourTable name={channel.name} hours={hours} />
      </details>
    </>
  )
}

interface HoursProps {
  readonly name: string
  readonly hours: readonly Hour[]
}

function Outcomes({ name, hours }: HoursProps): JSX.Element {
  const atSeconds = useMemo(() => hours.map(({ at }) => at), [hours])
  const series = useMemo(
    () => [
      { title: "Succeeded", values: hours.map((each) => each.succeeded), color: "--succeeded" },
      { title: "Failed", values: hours.map((each) => each.failed), color: "--failed" },
      { title: "Deferred", values: hours.map((each) => each.deferred), color: "--running" },
    ],
    [hours],
  )
  return (
    <Plot
      label={`Tasks of ${name} that succeeded, failed and were deferred, by hour`}
      atSeconds={atSeconds}
      series={series}
      kind="stacks"
      format={(value) => (Number.isInteger(value) ? count.format(value) : "")}
      heightPx={HEIGHT_PX}
    />
  )
}

function Latency({ name, hours }: HoursProps): JSX.Element {
  const atSeconds = useMemo(() => hours.map(({ at }) => at), [hours])
  const series = useMemo(
    () => [
      {
        title: "Half took at most",
        values: hours.map((each) => each.p50_ms),
        color: "--text-soft",
      },
      { title: "95 % took at most", values: hours.map((each) => each.p95_ms), color: "--accent" },
    ],
    [hours],
  )
  return (
    <Plot
      label={`How long tasks of ${name} took, by hour`}
      atSeconds={atSeconds}
      series={series}
      kind="lines"
      format={formatDuration}
      heightPx={HEIGHT_PX}
    />
  )
}

const TITLES = ["Hour", "Succeeded", "Failed", "Deferred", "p50", "p95"]

function HourTable({ name, hours }: HoursProps): JSX.Element {
  const rows = hours.toReversed().map((hour) => ({
    id: String(hour.at),
    cells: [
      time.format(hour.at * 1_000),
      hour.succeeded,
      hour.failed,
      hour.deferred,
      hour.p50_ms === null ? "–" : formatDuration(hour.p50_ms),
      hour.p95_ms === null ? "–" : formatDuration(hour.p95_ms),
    ],
  }))
  return <PlainTable label={`The hours of ${name}`} titles={TITLES} rows={rows} />
}
