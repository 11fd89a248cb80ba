/**
 * Every channel of the service, for an operator. The page loads them again every few seconds, since no stream
 * reports them.
 */
import type { Channel, ChannelStanding } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { showToast } from "../../design/toasts.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { useRefreshed } from "../../session/use-refreshed.ts"
import type { Step } from "./channel-actions.tsx"
import { ChannelCard } from "./channel-card.tsx"
import { listOnlyModels } from "./list-only-models.ts"

const PAUSE_MS = 5_000

const DONE: Readonly<Record<Step, string>> = {
  pause: "is paused.",
  drain: "is draining.",
  resume: "is running again.",
}

export function Page(): JSX.Element {
  const { admin } = useClient()
  const loading = useLoaded((signal) => admin.channels({ signal }), [admin])
  useRefreshed(loading, PAUSE_MS)
  const { value: channels, error } = loading.state.value
  const noteDraining = useDrained(channels)

  function finish(step: Step, { in_flight: inFlight, name }: ChannelStanding): void {
    if (step === "drain" && inFlight > 0) noteDraining(name)
    const isDrained = step === "drain" && inFlight === 0
    showToast(`${name} ${isDrained ? "has nothing left in flight." : DONE[step]}`)
    loading.reload()
  }

  return (
    <div class="stack">
      <PageHead title="Channels" />
      {error !== undefined && <Failure error={error} onRetry={loading.reload} />}
      {channels === undefined && error === undefined && <Waiting />}
      {channels?.length === 0 && (
        <Empty title="No channels">The configuration has none, and none ever had a task.</Empty>
      )}
      {channels?.map((channel) => (
        <ChannelCard
          key={channel.name}
          channel={channel}
          onlyModels={listOnlyModels(channel, channels)}
          onDone={finish}
        />
      ))}
    </div>
  )
}

/** Says so when a channel that was drained here has nothing left; the function that it returns names such a channel. */
function useDrained(channels: readonly Channel[] | undefined): (name: string) => void {
  const draining = useSignal<readonly string[]>([])
  useEffect(() => {
    const left = draining
      .peek()
      .filter((name) => channels?.some((each) => each.name === name && each.state === "draining"))
    for (const name of draining.peek()) {
      const isPaused = channels?.some((each) => each.name === name && each.state === "paused")
      if (isPaused === true) showToast(`${name} has nothing left in flight.`)
    }
    draining.value = left
  }, [channels])
  return (name) => (draining.value = [...draining.peek(), name])
}
