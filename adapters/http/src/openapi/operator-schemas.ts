/** The JSON bodies that an operator is answered with; see `response-schemas.ts`. */
import { API_KEY_SCOPES, OUTCOME_GROUPINGS } from "@safelight/core"
import * as v from "valibot"
import { whole } from "./price-schemas.ts"

const milliseconds = v.pipe(v.number(), v.minValue(0))
const unknownCosts = v.pipe(
  whole,
  v.description("Attempts whose cost nobody told: the cost is at least what is shown."),
)

const standing = {
  name: v.string(),
  state: v.pipe(
    v.picklist(["running", "paused", "draining"]),
    v.description("`draining`: paused, with tasks in flight."),
  ),
  paused_at: v.pipe(whole, v.description("Unix time in seconds; 0 while it is running.")),
  in_flight: v.pipe(whole, v.description("Tasks that it has, over all nodes.")),
}

const hour = v.object({
  at: v.pipe(whole, v.description("When the hour begins, Unix time in seconds.")),
  succeeded: whole,
  failed: whole,
  deferred: v.pipe(
    whole,
    v.description("Attempts that were billed, and after which the task went on."),
  ),
  charge_micros: v.pipe(whole, v.description("What accounts were charged.")),
  cost_micros: v.pipe(whole, v.description("What it cost upstream, US dollars.")),
  unknown_costs: unknownCosts,
  p50_ms: v.pipe(
    v.nullable(whole),
    v.description("From the request to the end, of those that succeeded; null if none did."),
  ),
  p95_ms: v.nullable(whole),
})

const trouble = v.object({
  reason: v.pipe(
    v.string(),
    v.description(
      "`provider_out_of_money`, `provider_answered_401` and the like, `output_host_refused`.",
    ),
  ),
  words: v.pipe(v.string(), v.description("The provider's own, cut; the host that was refused.")),
  since: v.pipe(whole, v.description("Unix time in seconds.")),
  add: v.pipe(
    v.nullable(v.string()),
    v.description("What the channel's configuration lacks; null for anything else."),
  ),
})

const channel = v.object({
  ...standing,
  type: v.pipe(
    v.nullable(v.string()),
    v.description("Null, like the next members, where it is not in the configuration."),
  ),
  tier: v.nullable(v.number()),
  weight: v.nullable(v.number()),
  models: v.nullable(v.array(v.string())),
  left_out: v.pipe(
    v.nullable(v.string()),
    v.description("Why this configuration does not serve it; null where it does."),
  ),
  left_alone_by: v.pipe(
    whole,
    v.description(
      "How many processes give it nothing new, since it failed several times in a row.",
    ),
  ),
  troubles: v.pipe(
    v.array(trouble),
    v.description("What its running processes need the operator for, the oldest first."),
  ),
  limits: v.pipe(
    v.nullable(v.object({ concurrency: whole, requests_per_minute: v.nullable(v.number()) })),
    v.description("Null where the process that answers does not have it."),
  ),
  hours: v.pipe(
    v.array(hour),
    v.description("Of the last 24, the one under way included; those without an end are left out."),
  ),
})

const channelCheck = v.object({
  name: v.string(),
  type: v.string(),
  key: v.pipe(
    v.nullable(v.picklist(["taken", "refused", "unproved", "none"])),
    v.description("`none`: it needs none. Null where it was not asked, or does not tell."),
  ),
  problems: v.pipe(v.array(v.string()), v.description("For people; empty if all is well.")),
  notes: v.pipe(v.array(v.string()), v.description("What it lacks although it serves.")),
})

const usage = v.object({
  by: v.picklist(OUTCOME_GROUPINGS),
  from: whole,
  to: whole,
  rows: v.array(
    v.object({
      name: v.pipe(v.string(), v.description("`2026-11-23` for a day, otherwise the name.")),
      tasks: whole,
      succeeded: whole,
      failed: whole,
      charge_micros: whole,
      cost_micros: v.pipe(whole, v.description("US dollars.")),
      unknown_costs: unknownCosts,
      margin_micros: v.pipe(v.number(), v.integer(), v.description("May be below 0.")),
    }),
  ),
  has_more: v.pipe(v.boolean(), v.description("Whether there are more rows than are shown.")),
})

const system = v.object({
  versions: v.object({ service: v.string(), node: v.string() }),
  role: v.picklist(["all", "api", "worker"]),
  started_at: v.pipe(whole, v.description("Unix time in seconds, of this process.")),
  database: v.object({
    kind: v.pipe(v.string(), v.description("`sqlite` or `postgresql`.")),
    version: v.string(),
    schema: whole,
  }),
  queue: v.object({
    new: v.pipe(whole, v.description("Never dispatched, and held by nobody.")),
    due: v.pipe(whole, v.description("Begun, held by nobody; their moment may be to come.")),
    held: whole,
    oldest_waiting_ms: whole,
    accounts: v.pipe(
      v.array(v.object({ account: v.string(), tasks: whole })),
      v.description("Those that most tasks wait for, at most 5."),
    ),
  }),
  commits: v.pipe(
    v.object({
      period_ms: milliseconds,
      batches: whole,
      failed_batches: whole,
      mean_size: milliseconds,
      p50_ms: milliseconds,
      p99_ms: milliseconds,
    }),
    v.description("The newest of this process: of 5 minutes, at most 4,096."),
  ),
  nodes: v.pipe(
    v.array(
      v.object({
        lease: v.string(),
        host: v.nullable(v.string()),
        role: v.nullable(v.string()),
        started_at: v.nullable(whole),
        heartbeat_at: v.nullable(whole),
        in_flight: whole,
      }),
    ),
    v.description("Processes that work on tasks; null where an older release runs."),
  ),
  event_loop: v.object({
    period_ms: milliseconds,
    mean_delay_ms: milliseconds,
    p99_delay_ms: milliseconds,
    max_delay_ms: milliseconds,
  }),
  memory: v.object({ resident_bytes: whole, heap_used_bytes: whole, external_bytes: whole }),
})

const limit = v.nullable(whole)
const rate = v.nullable(v.object({ requests: whole, window_ms: whole }))

const settings = {
  account: v.string(),
  created_at: v.pipe(whole, v.description("Unix time in seconds.")),
  suspended_at: v.pipe(whole, v.description("Unix time in seconds; 0 while it is not suspended.")),
  create_rate: v.pipe(rate, v.description("Of submissions. Null, as in other limits: none.")),
  read_rate: v.pipe(rate, v.description("Of other requests but downloads.")),
  content_rate: v.pipe(rate, v.description("Of downloads.")),
  unfinished_tasks: v.pipe(limit, v.description("Tasks that may be unfinished at once.")),
  running_tasks: v.pipe(limit, v.description("Tasks that channels may work on at once.")),
  weight: v.pipe(whole, v.description("Its share while tasks of several accounts wait.")),
  budget_micros: v.pipe(limit, v.description("What it may spend.")),
  retention_ms: v.pipe(limit, v.description("Null: artifacts are kept as the service has it.")),
  max_retention_ms: v.pipe(whole, v.description("How long it may hold artifacts; 0: not at all.")),
  sign_content_urls: v.pipe(v.boolean(), v.description("`content_url` as a private link.")),
}

const account = v.object({
  ...settings,
  totals: v.object({
    charged_micros: whole,
    reserved_micros: v.pipe(whole, v.description("Held back for unfinished tasks.")),
    unfinished_tasks: whole,
    left_micros: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description("Of the budget; below 0 where it was lowered to less than was spent."),
    ),
  }),
})

const apiKey = {
  id: v.pipe(v.string(), v.description("No secret.")),
  account: v.string(),
  scopes: v.array(v.picklist(API_KEY_SCOPES)),
  state: v.picklist(["valid", "revoked", "expired"]),
  created_at: v.pipe(whole, v.description("Unix time in seconds.")),
  revoked_at: v.pipe(whole, v.description("Unix time in seconds; 0 where it is not revoked.")),
  expires_at: v.pipe(whole, v.description("Unix time in seconds; 0 where it does not end.")),
}

const details = v.object({
  settings: v.exactOptional(
    v.pipe(v.record(v.string(), v.unknown()), v.description("Those that were given.")),
  ),
  scopes: v.exactOptional(v.array(v.picklist(API_KEY_SCOPES))),
  expires_at: v.exactOptional(
    v.pipe(whole, v.description("Of the key that was made, Unix time in seconds; 0: never.")),
  ),
  successor: v.exactOptional(
    v.pipe(v.string(), v.description("The id of the key that replaces the target.")),
  ),
  replaced_expires_at: v.exactOptional(
    v.pipe(whole, v.description("When the replaced key ends at the latest.")),
  ),
  artifact: v.exactOptional(v.pipe(v.string(), v.description("Whose links were revoked."))),
  verdict: v.exactOptional(v.picklist(["adopt", "fail"])),
})

const change = v.object({
  id: v.string(),
  created_at: v.pipe(whole, v.description("Unix time in seconds.")),
  changed_by: v.pipe(
    v.string(),
    v.description("The id of a key; `command`; or `sign-in`, by a one-time link."),
  ),
  change: v.pipe(
    v.string(),
    v.description(
      "`account_set`, `key_created`, `key_rotated`, `key_revoked`, `links_revoked`, `link_key_rotated`, " +
        "`channel_paused`, `channel_resumed`, `task_cancelled`, `task_resolved`, `task_erased`, `tasks_stopped`; " +
        "later releases may have others.",
    ),
  ),
  target: v.pipe(
    v.string(),
    v.description("What it was done to: the account, the id of the key, the channel, the task."),
  ),
  account: v.pipe(
    v.nullable(v.string()),
    v.description("Whose the target is; null if it is no account's."),
  ),
  details: v.pipe(details, v.description("What it was changed to, as far as that is no secret.")),
})

const shownKey = v.object(apiKey)
const accountSettings = v.object(settings)
const secret = v.pipe(v.string(), v.description("Whoever has it acts for the account."))

export const OPERATOR_SCHEMAS = {
  ChannelList: v.object({ channels: v.array(channel) }),
  ChannelStanding: v.object(standing),
  ChannelCheck: channelCheck,
  AccountSettings: accountSettings,
  OperatorAccount: account,
  OperatorAccountList: v.object({
    accounts: v.array(accountSettings),
    next_cursor: v.nullable(v.string()),
  }),
  ApiKey: shownKey,
  ApiKeyList: v.object({ keys: v.array(shownKey) }),
  NewApiKey: v.object({ ...apiKey, key: secret }),
  RotatedApiKey: v.object({ ...apiKey, key: secret, replaced: shownKey }),
  OperatorChangeList: v.object({
    changes: v.array(change),
    next_cursor: v.nullable(v.string()),
  }),
  OperatorUsage: usage,
  System: system,
} as const
