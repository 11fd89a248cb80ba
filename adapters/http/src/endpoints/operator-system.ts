/** GET /v1/admin/system: the process that answers, the database, the queue, and the processes that work on it. */
import { whole } from "../bodies/shapes.ts"
import { defineBody, described, type Shown } from "../bodies/body.ts"
import * as v from "valibot"
import { toUnixSeconds, type NodeView, type SystemFacts } from "@safelight/core"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const milliseconds = v.pipe(v.number(), v.minValue(0))

const EXAMPLE = {
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
} as const

const system = defineBody("System", EXAMPLE, {
  versions: v.object({ service: v.string(), node: v.string() }),
  role: v.picklist(["all", "api", "worker"]),
  started_at: described(whole, "Unix time in seconds, of this process."),
  database: v.object({
    kind: described(v.string(), "`sqlite` or `postgresql`."),
    version: v.string(),
    schema: whole,
  }),
  queue: v.object({
    new: described(whole, "Never dispatched, and held by nobody."),
    due: described(whole, "Begun, held by nobody; their moment may be to come."),
    held: whole,
    oldest_waiting_ms: whole,
    accounts: described(
      v.array(v.object({ account: v.string(), tasks: whole })),
      "Those that most tasks wait for, at most 5.",
    ),
  }),
  commits: described(
    v.object({
      period_ms: milliseconds,
      batches: whole,
      failed_batches: whole,
      mean_size: milliseconds,
      p50_ms: milliseconds,
      p99_ms: milliseconds,
    }),
    "The newest of this process: of 5 minutes, at most 4,096.",
  ),
  nodes: described(
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
    "Processes that work on tasks; null where an older release runs.",
  ),
  event_loop: v.object({
    period_ms: milliseconds,
    mean_delay_ms: milliseconds,
    p99_delay_ms: milliseconds,
    max_delay_ms: milliseconds,
  }),
  memory: v.object({ resident_bytes: whole, heap_used_bytes: whole, external_bytes: whole }),
})

export const showSystem = defineOperatorEndpoint({
  method: "GET",
  path: "/v1/admin/system",
  about: {
    id: "getSystem",
    summary: "Versions, queue, commits, nodes, and this process",
    description:
      "Queue, database and nodes are of the whole service and may be 2 seconds old; the rest is of the process that " +
      "answers.",
  },
  query: {},
  answers: { 200: { description: "As it is.", json: system } },
  refusals: [],
}).handle((insight) => async (call) => {
  const facts = await insight.system.readSystem()
  return call.reply(200, toSystemBody(facts))
})

function toSystemBody(facts: SystemFacts): Shown<typeof system> {
  const { commits, database, eventLoop, memory, nodes, queue, role, startedAt, versions } = facts
  return {
    versions,
    role,
    started_at: toUnixSeconds(startedAt),
    database,
    queue: {
      new: queue.newTasks,
      due: queue.dueTasks,
      held: queue.heldTasks,
      oldest_waiting_ms: queue.oldestWaitingMs,
      accounts: queue.accounts,
    },
    commits: {
      period_ms: commits.periodMs,
      batches: commits.batches,
      failed_batches: commits.failedBatches,
      mean_size: commits.meanSize,
      p50_ms: commits.p50Ms,
      p99_ms: commits.p99Ms,
    },
    nodes: nodes.map(toNodeBody),
    event_loop: {
      period_ms: eventLoop.periodMs,
      mean_delay_ms: eventLoop.meanDelayMs,
      p99_delay_ms: eventLoop.p99DelayMs,
      max_delay_ms: eventLoop.maxDelayMs,
    },
    memory: {
      resident_bytes: memory.residentBytes,
      heap_used_bytes: memory.heapUsedBytes,
      external_bytes: memory.externalBytes,
    },
  }
}

function toNodeBody({
  heartbeatAt,
  host,
  inFlight,
  lease,
  role,
  startedAt,
}: NodeView): Shown<typeof system>["nodes"][number] {
  return {
    lease,
    host,
    role,
    started_at: startedAt === null ? null : toUnixSeconds(startedAt),
    heartbeat_at: heartbeatAt === null ? null : toUnixSeconds(heartbeatAt),
    in_flight: inFlight,
  }
}
