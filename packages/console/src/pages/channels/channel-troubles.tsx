/** What a channel needs its operator for: its provider's own words, or the line that its configuration lacks. */
import type { Channel } from "@safelight/client"
import type { JSX } from "preact"
import "./channel-troubles.css"

type Trouble = Channel["troubles"][number]

export function ChannelTroubles({ troubles }: Pick<Channel, "troubles">): JSX.Element | null {
  if (troubles.length === 0) return null
  return (
    <ul class="channel-troubles">
      {troubles.map((trouble) => (
        <li key={`${trouble.reason} ${trouble.words}`}>{toSentence(trouble)}</li>
      ))}
    </ul>
  )
}

function toSentence({ add, reason, words }: Trouble): JSX.Element {
  if (add !== null) {
    return (
      <>
        Its outputs lie at <bdi>{words}</bdi>, which it may not ask. Add to it in the configuration:{" "}
        <code>{add}</code>
      </>
    )
  }
  const isPoor = reason === "provider_out_of_money"
  const what = isPoor ? "Its account has no money" : `It is turned away (${reason})`
  return <>{words === "" ? `${what}.` : `${what}: ${words}`}</>
}
