/** GET /v1/admin/system: the process that answers, the database, the queue, and the processes that work on it. */
import { toUnixSeconds, type NodeView, type SystemFacts } from "@safelight/core"
import { defineEndpoint } from "../endpoint.ts"
import { OPERATOR_KEY } from "./operator-key.ts"

export const showSystem = defineEndpoint({
  method: "GET",
  path: "/v1/admin/system",
  about: {
    id: "getSystem",
    tag: "Operator",
    summary: "Versions, queue, commits, nodes, and this process",
    description:
      "Queue, database and nodes are of the whole service and may be 2 seconds old; the rest is of the process that " +
      "answers.",
  },
  key: OPERATOR_KEY,
  query: {},
  answers: { 200: { description: "As it is.", json: "System" } },
  refusals: [],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const facts = await insight.system.readSystem()
    return call.reply(200, JSON.stringify(toSystemBody(facts)))
  }
})

function toSystemBody(facts: SystemFacts): object {
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

function toNodeBody({ heartbeatAt, host, inFlight, lease, role, startedAt }: NodeView): object {
  return {
    lease,
    host,
    role,
    started_at: startedAt === null ? null : toUnixSeconds(startedAt),
    heartbeat_at: heartbeatAt === null ? null : toUnixSeconds(heartbeatAt),
    in_flight: inFlight,
  }
}
