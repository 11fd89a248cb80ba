/** A channel in figures: what it has now, and what came of the last day in money. */
import type { Channel } from "@safelight/client"
import type { JSX } from "preact"
import { Facts, type Fact } from "../../design/facts.tsx"
import { Cost, Margin, Money } from "../../design/money.tsx"
import { Moment } from "../../design/moment.tsx"
import { sumHours } from "./day-hours.ts"
import "./channel-facts.css"

export function ChannelFacts({ channel }: { readonly channel: Channel }): JSX.Element {
  const { paused_at: pausedAt, tier, weight } = channel
  const sums = sumHours(channel.hours)
  const spent = { micros: sums.cost_micros, unknownCosts: sums.unknown_costs }
  const facts: Fact[] = [
    ["In flight", <InFlight channel={channel} />],
    ["Breaker", toBreaker(channel)],
    ["Charged", <Money micros={sums.charge_micros} />],
    ["Cost", <Cost {...spent} />],
    ["Margin", <Margin {...spent} micros={sums.charge_micros - sums.cost_micros} />],
  ]
  if (pausedAt > 0) facts.push(["Paused", <Moment atMs={pausedAt * 1_000} />])
  if (tier !== null) facts.push(["Tier and weight", `${tier} · ${weight ?? 1}`])
  return <Facts facts={facts} />
}

function InFlight({ channel }: { readonly channel: Channel }): JSX.Element {
  const { in_flight: inFlight, limits } = channel
  if (limits === null) return <>{inFlight}</>
  const percent = Math.min(100, (inFlight / Math.max(1, limits.concurrency)) * 100)
  return (
    <span class="in-flight">
      <span class="in-flight-bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {inFlight} of {limits.concurrency}
    </span>
  )
}

function toBreaker({ left_alone_by: count }: Channel): string {
  if (count === 0) return "closed"
  return count === 1 ? "open in 1 process" : `open in ${count} processes`
}
