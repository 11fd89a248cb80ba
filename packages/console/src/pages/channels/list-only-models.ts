/** Models that wait while a channel is paused: no other channel that runs serves them. */
import type { Channel } from "@safelight/client"

export function listOnlyModels(channel: Channel, all: readonly Channel[]): readonly string[] {
  const others = new Set(
    all
      .filter((each) => each.name !== channel.name && isServing(each))
      .flatMap(({ models }) => models ?? []),
  )
  return isServing(channel) ? (channel.models ?? []).filter((model) => !others.has(model)) : []
}

function isServing({ left_out: leftOut, state }: Channel): boolean {
  return state === "running" && leftOut === null
}
