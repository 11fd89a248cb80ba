/** Whether a channel gets tasks, in a word: the one thing that stops it is named before all others. */
import type { Channel } from "@safelight/client"
import type { JSX } from "preact"
import { Mark } from "../../design/status-mark.tsx"

export function ChannelMark({ channel }: { readonly channel: Channel }): JSX.Element {
  const { left_alone_by: leftAloneBy, left_out: leftOut, state, type } = channel
  if (state === "draining") return <Mark look="running">Draining</Mark>
  if (state === "paused") return <Mark look="queued">Paused</Mark>
  if (type === null) return <Mark look="queued">Not in the configuration</Mark>
  if (leftOut !== null) return <Mark look="failed">Not served</Mark>
  if (leftAloneBy > 0) return <Mark look="failed">Breaker open</Mark>
  return <Mark look="succeeded">Running</Mark>
}
