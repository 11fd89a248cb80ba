/**
 * Models that wait for the same channels, put together: tasks of two models compete for a permit
 * where some channel serves both, or where others between them do. Each group is one queue.
 */
import type { Channel } from "@safelight/core"

export interface ModelGroup {
  readonly models: readonly string[]
  /** The channels that serve any of them. */
  readonly channels: readonly Channel[]
}

export function toModelGroups(
  models: readonly string[],
  channels: readonly Channel[],
): readonly ModelGroup[] {
  let groups = models.map((model) => new Set([model]))
  for (const channel of channels) {
    const joined = groups.filter((group) => channel.models.some((model) => group.has(model)))
    if (joined.length < 2) continue
    const union = new Set(joined.flatMap((group) => [...group]))
    groups = [...groups.filter((group) => !joined.includes(group)), union]
  }
  return groups.map((group) => ({
    models: [...group],
    channels: channels.filter((channel) => channel.models.some((model) => group.has(model))),
  }))
}
