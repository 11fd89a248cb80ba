/** One channel: whether it gets tasks, what can be done about it, its figures and its last day. */
import type { Channel, ChannelCheck, ChannelStanding } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { ChannelActions, type Step } from "./channel-actions.tsx"
import { CheckButton, CheckResult } from "./channel-check.tsx"
import { ChannelFacts } from "./channel-facts.tsx"
import { ChannelMark } from "./channel-mark.tsx"
import { ChannelPlots } from "./channel-plots.tsx"
import { ChannelTroubles } from "./channel-troubles.tsx"
import "./channel-card.css"

export interface ChannelCardProps {
  readonly channel: Channel
  /** Models that no other running channel serves. */
  readonly onlyModels: readonly string[]
  readonly onDone: (step: Step, standing: ChannelStanding) => void
}

export function ChannelCard({ channel, onlyModels, onDone }: ChannelCardProps): JSX.Element {
  const { left_out: leftOut, models, name, type } = channel
  const check = useSignal<ChannelCheck | undefined>(undefined)
  const id = `channel-${name}`
  return (
    <section class="card stack" aria-labelledby={id}>
      <div class="line spread">
        <div class="line">
          <h2 id={id}>
            <bdi>{name}</bdi>
          </h2>
          <ChannelMark channel={channel} />
          {type !== null && type !== name && <code class="soft">{type}</code>}
        </div>
        <div class="line">
          <ChannelActions channel={channel} onlyModels={onlyModels} onDone={onDone} />
          {type !== null && <CheckButton channel={name} result={check} />}
        </div>
      </div>
      {leftOut !== null && <p class="channel-left-out">{leftOut}</p>}
      <ChannelTroubles troubles={channel.troubles} />
      <CheckResult check={check.value} />
      <div class="channel-parts">
        <div>
          <ChannelFacts channel={channel} />
          {models !== null && models.length > 0 && (
            <details>
              <summary>{models.length === 1 ? "1 model" : `${models.length} models`}</summary>
              <ul>
                {models.map((model) => (
                  <li key={model}>
                    <code>{model}</code>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </div>
        <div>
          <ChannelPlots channel={channel} />
        </div>
      </div>
    </section>
  )
}
