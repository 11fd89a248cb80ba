/** Small numbers for scenario nodes, so that a takeover takes a moment and not a minute. */
import type { EngineSettings } from "@safelight/engine"
import type { UpstreamKind } from "../../support/upstream.ts"

export const DAY_MS = 86_400_000

/** An unkeyed call in doubt rests until its task's end: this long a scenario waits for it. */
const DOUBT_MS = 6_000

/** However busy the machine is, no other task's time is up. */
const PATIENT_MS = 600_000

export function toNodeSettings(kind: UpstreamKind): Partial<EngineSettings> {
  return {
    leaseMs: 400,
    backoffMs: 20,
    idlePollMs: 50,
    endAfterMs: kind === "unkeyed" ? DOUBT_MS : PATIENT_MS,
    // Scenarios sweep days ahead, and ask again under the same keys afterwards.
    idempotencyMs: 100 * DAY_MS,
  }
}

/** Where a node of a scenario keeps things, under one folder. */
export const NODE_FOLDERS = { data: "data", artifacts: "artifacts", upstream: "upstream" } as const
