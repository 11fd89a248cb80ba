/** Examples of what an operator is answered with. */
import { textToImage } from "@safelight/core"

const STANDING = { name: "studio", state: "running", paused_at: 0, in_flight: 2 }

const SUMS = { charge_micros: 390_000, cost_micros: 130_000, unknown_costs: 0 }

export const OPERATOR_EXAMPLES = {
  ChannelList: {
    channels: [
      {
        ...STANDING,
        type: "studio",
        tier: 1,
        weight: 1,
        models: [textToImage.id],
        left_out: null,
        left_alone_by: 0,
        limits: { concurrency: 2, requests_per_minute: null },
        hours: [
          {
            at: 1_767_225_600,
            succeeded: 13,
            failed: 1,
            deferred: 0,
            ...SUMS,
            p50_ms: 2_100,
            p95_ms: 4_700,
          },
        ],
      },
    ],
  },
  ChannelStanding: { ...STANDING, state: "draining", paused_at: 1_767_225_600 },
  ChannelCheck: { name: "fal", type: "fal", key: "taken", problems: [], notes: [] },
  OperatorUsage: {
    by: "day",
    from: 1_767_225_600,
    to: 1_767_312_000,
    rows: [
      {
        name: "2026-01-01",
        tasks: 14,
        succeeded: 13,
        failed: 1,
        ...SUMS,
        margin_micros: 260_000,
      },
    ],
    has_more: false,
  },
  System: {
    versions: { service: "0.1.0", node: "v26.10.0" },
    role: "all",
    started_at: 1_767_225_600,
    database: { kind: "sqlite", version: "3.53.0", schema: 1 },
    queue: {
      new: 3,
      due: 1,
      held: 2,
      oldest_waiting_ms: 1_500,
      accounts: [{ account: "acme", tasks: 4 }],
    },
    commits: {
      period_ms: 300_000,
      batches: 212,
      failed_batches: 0,
      mean_size: 1.3,
      p50_ms: 1.2,
      p99_ms: 6.8,
    },
    nodes: [
      {
        lease: "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081",
        host: "north",
        role: "all",
        started_at: 1_767_225_600,
        heartbeat_at: 1_767_229_200,
        in_flight: 2,
      },
    ],
    event_loop: { period_ms: 5_000, mean_delay_ms: 0.2, p99_delay_ms: 3.1, max_delay_ms: 9.4 },
    memory: { resident_bytes: 151_000_000, heap_used_bytes: 62_000_000, external_bytes: 9_000_000 },
  },
} as const
