/**
 * What providers say alike before they look at what is asked for: who calls is not known, has no money,
 * may not, or comes too often. Nothing was created.
 */
import type { Busy, NotCreated } from "@safelight/core"
import type { Reply } from "./provider.ts"

/** For the answer to a create; undefined where the status says none of it. */
export function readTurnedAway({ retryAfterMs, status }: Reply): NotCreated | Busy | undefined {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  if (status === 429) return { kind: "busy", reason: "provider_busy", ...wait }
  if (![401, 402, 403, 404].includes(status)) return undefined
  return { kind: "not-created", reason: `provider_answered_${status}`, ...wait }
}
