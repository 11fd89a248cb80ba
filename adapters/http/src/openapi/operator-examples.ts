/** Examples of what an operator is answered with. */
import { textToImage } from "@safelight/core"

const STANDING = { name: "studio", state: "running", paused_at: 0, in_flight: 2 }

const SUMS = { charge_micros: 390_000, cost_micros: 130_000, unknown_costs: 0 }

const SETTINGS = {
  account: "acme",
  created_at: 1_767_225_600,
  suspended_at: 0,
  create_rate: { requests: 60, window_ms: 60_000 },
  read_rate: null,
  content_rate: null,
  unfinished_tasks: 100,
  running_tasks: 2,
  weight: 1,
  budget_micros: 5_000_000,
  retention_ms: null,
  max_retention_ms: 0,
  sign_content_urls: false,
}

const KEY = {
  id: "4fGh7KqX2b",
  account: "acme",
  scopes: ["tasks:write", "tasks:read"],
  state: "valid",
  created_at: 1_767_225_600,
  revoked_at: 0,
  expires_at: 1_769_817_600,
}

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
        troubles: [],
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
  AccountSettings: SETTINGS,
  OperatorAccount: {
    ...SETTINGS,
    totals: {
      charged_micros: 390_000,
      reserved_micros: 30_000,
      unfinished_tasks: 1,
      left_micros: 4_580_000,
    },
  },
  OperatorAccountList: { accounts: [SETTINGS], next_cursor: null },
  ApiKey: KEY,
  ApiKeyList: { keys: [KEY] },
  NewApiKey: { ...KEY, key: "sl_live_…" },
  RotatedApiKey: { ...KEY, key: "sl_live_…", replaced: { ...KEY, id: "9dPs3MnV0c" } },
  OperatorChangeList: {
    changes: [
      {
        id: "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081",
        created_at: 1_767_225_600,
        changed_by: "9dPs3MnV0c",
        change: "account_set",
        target: "acme",
        account: "acme",
        details: { settings: { budget_micros: 5_000_000 } },
      },
    ],
    next_cursor: null,
  },
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
