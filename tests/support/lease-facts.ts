/** What a process says of itself with a heartbeat, where that does not matter. */
import type { LeaseFacts } from "@safelight/core"

export const FACTS: LeaseFacts = {
  channels: [],
  leftAlone: [],
  isAble: true,
  excess: {},
  membership: "",
  round: 0,
}
