/**
 * GET /v1/usage/statement: the account's charges, each with what proves it. A page reads all events of its tasks, so
 * few pages are read at a time, and one account has fewer: its keys can't keep all others waiting.
 */
import { createSemaphore, type ProofService, type StatementPage } from "@safelight/core"
import { toPageQuery } from "../bodies/page.ts"
import {
  listShownEvents,
  toStatementBody,
  usageStatement,
  type StatementProofs,
} from "../bodies/statement.ts"
import { toRefuse } from "../errors/refusal.ts"
import { defineEndpoint } from "../pipeline/endpoint.ts"
import { createRoom } from "../pipeline/room.ts"
import { MONTH_QUERY, PERIOD_QUERY, readMonthOrPeriod } from "../request/period.ts"
import { choice } from "../request/query-parameters.ts"
import { POLL_HEADERS } from "./find-task.ts"

/** Pages that are read at a time: the event loop and the database are for tasks. */
const MOST_READS = 4
/** Those that are read, and those that wait. */
const MOST_PAGES = 64
/** Of one account among them: a page is read while the one before it is taken in. */
const MOST_OF_ACCOUNT = 2

const READ_REFUSALS = ["concurrency_limit_exceeded", "overloaded"] as const
const refuse = toRefuse(READ_REFUSALS)

export const showStatement = defineEndpoint({
  method: "GET",
  path: "/v1/usage/statement",
  about: {
    id: "getUsageStatement",
    tag: "Usage",
    summary: "What the account was charged, charge by charge",
    description:
      "Each charge with its usage, price and arithmetic, and the event that charged it. With `proofs=true` also the " +
      "proof that this event is in the signed log, for whoever has the log's public key; a service that signs none " +
      "has none (404). Charges of a period add up to `GET /v1/usage`. The end of the list is where `next_cursor` is null.",
  },
  key: { scopes: ["tasks:read"], rate: "read" },
  query: {
    ...MONTH_QUERY,
    ...PERIOD_QUERY,
    proofs: choice("`true`: with proofs.", ["true", "false"]),
    ...toPageQuery("charges"),
  },
  answers: { 200: { description: "A page of charges.", json: usageStatement } },
  refusals: ["invalid_value", "route_not_found", "proof_not_ready", ...READ_REFUSALS],
}).handleWith("statements", (statements, { currency, proofs }) => {
  const reads = createReads()
  return async (call) => {
    const period = readMonthOrPeriod(call)
    const { cursor, limit } = call.query
    const isProved = call.query.proofs === "true"
    const prover = isProved ? call.demand(proofs, "route_not_found") : undefined
    // A cursor may come from a list of another period.
    const isWithin = cursor !== undefined && cursor.createdAt >= period.from
    const after = isWithin && { after: { at: cursor.createdAt, task: cursor.id } }
    const request = { account: call.caller.id, ...period, limit, ...after }
    const { page, proven } = await reads.run(call.caller.id, async () => {
      const read = await statements.readStatement(request)
      return { page: read, proven: prover && (await prove(prover, read)) }
    })
    if (isProved) call.demand(proven, "proof_not_ready")
    return call.reply(200, { ...toStatementBody(period, page, proven), currency })
  }
})

/** Undefined if no checkpoint was signed yet. */
async function prove(
  prover: ProofService,
  page: StatementPage,
): Promise<StatementProofs | undefined> {
  const events = listShownEvents(page)
  const found = await prover.proveEvents(events)
  if (found === undefined) return undefined
  const byEvent = new Map(events.map((event, index) => [event, found.proofs[index] ?? null]))
  return { checkpoint: found.checkpoint, byEvent }
}

interface Reads {
  /** Settles as `read` does. Rejects with a `Refusal` if too many wait, or the account has as many as it may. */
  run<Result>(account: string, read: () => Promise<Result>): Promise<Result>
}

function createReads(): Reads {
  const room = createRoom({ most: MOST_PAGES, mostOfAccount: MOST_OF_ACCOUNT })
  const permits = createSemaphore({ permits: MOST_READS, name: "statements" })
  return {
    async run(account, read) {
      const leave = room.enter(account)
      if (leave === "full") throw refuse("overloaded", { headers: POLL_HEADERS })
      if (leave === "account-full") {
        const message = `${MOST_OF_ACCOUNT} pages of the account's statement are read; take one in first.`
        throw refuse("concurrency_limit_exceeded", { message, headers: POLL_HEADERS })
      }
      try {
        return await permits.run(read)
      } finally {
        leave()
      }
    },
  }
}
