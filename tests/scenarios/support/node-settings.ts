/** Small numbers for scenario nodes, so that a takeover takes a moment and not a minute. */
import type { EngineSettings } from "@safelight/engine"

export const DAY_MS = 86_400_000

export const NODE_SETTINGS: Partial<EngineSettings> = {
  leaseMs: 400,
  backoffMs: 20,
  idlePollMs: 50,
  // An unkeyed call in doubt rests until its end: this long a scenario waits for it.
  endAfterMs: 6_000,
  // Scenarios sweep days ahead, and ask again under the same keys afterwards.
  idempotencyMs: 100 * DAY_MS,
}

/** Where a node of a scenario keeps things, under one folder. */
export const NODE_FOLDERS = { data: "data", artifacts: "artifacts", upstream: "upstream" } as const
