/** The clock of this machine: what an engine waits and writes times by unless it is given another. */
import { createSystemClock } from "@safelight/core"

export const systemClock = createSystemClock(globalThis)
