/**
 * Webhooks: endpoints and deliveries. What one commit must hold together is one change here: how far a feed was
 * spread with the deliveries that came of it. What an endpoint leaves behind may be a million rows: these are cleared
 * by page.
 */
import type {
  Delivery,
  RecordedTry,
  SpreadDelivery,
  Standing,
  WebhookStorage,
} from "@safelight/core"
import { countOf, rowsOf, toStep, type Database, type Step } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { WEBHOOK_STATEMENTS } from "./webhook-statements.ts"

type Statements = ReturnType<typeof WEBHOOK_STATEMENTS>

export function createWebhookMethods(database: Database, compiler: Compiler): WebhookStorage {
  const statements = WEBHOOK_STATEMENTS(compiler)
  return {
    ...createEndpointMethods(database, statements),
    ...createDeliveryMethods(database, statements),
    ...createDeliveryLogMethods(database, statements),
  }
}

function createEndpointMethods(
  { read, commit }: Database,
  statements: Statements,
): Pick<
  WebhookStorage,
  "createWebhook" | "findWebhook" | "listWebhooks" | "updateWebhook" | "deleteWebhook"
> {
  return {
    async createWebhook({ endpoint, most }) {
      const { account, id } = endpoint
      const outcome = await commit({
        checks: [toStep(statements.findFull, { account, most })],
        steps: [
          toStep(statements.insertWebhook, endpoint),
          toStep(statements.keepFeed, { account }),
          toStep(statements.skipEntries, { account, id }),
        ],
        isGuarded: true,
        // Of many at once, as many as there is room for.
        alone: "webhookEndpoints",
      })
      return outcome === true
    },
    findWebhook: async (name) => (await read(statements.findWebhook, name))[0],
    listWebhooks: (account) => read(statements.listWebhooks, { account }),
    async updateWebhook(endpoint, { isRenewed = false } = {}) {
      const { id, revision } = endpoint
      const outcome = await commit({
        steps: [
          toStep(statements.updateWebhook, { ...endpoint, replaced: revision - 1 }),
          ...(isRenewed ? [toStep(statements.renewWebhook, { id })] : []),
        ],
        isGuarded: true,
      })
      return outcome === true
    },
    async deleteWebhook({ account, id, keepFeedUntil: until }) {
      const outcome = await commit({
        steps: [
          toStep(statements.deleteWebhook, { account, id }),
          toStep(statements.limitFeedOf, { account, until }),
        ],
        isGuarded: true,
        alone: "webhookEndpoints",
      })
      return outcome === true
    },
  }
}

function createDeliveryMethods(
  { read, commit, queue }: Database,
  statements: Statements,
): Pick<
  WebhookStorage,
  | "fanOut"
  | "listUnspread"
  | "addDelivery"
  | "countWaiting"
  | "findDueWebhooks"
  | "takeDeliveries"
  | "recordTries"
> {
  return {
    async fanOut({ deliveries, ...spread }) {
      const added = deliveries.map((delivery) =>
        toStep(statements.insertDelivery, toDelivery(delivery)),
      )
      const steps = [toStep(statements.moveSpread, spread), ...added]
      return (await commit({ steps, isGuarded: true })) === true
    },
    listUnspread: async () =>
      (await read(statements.listUnspread, {})).map(({ account }) => account),
    async addDelivery(delivery) {
      await commit({ steps: [toStep(statements.insertDelivery, toDelivery(delivery))] })
    },
    async countWaiting(request) {
      const [row] = await read(statements.countWaiting, request)
      return row?.count ?? 0
    },
    findDueWebhooks: ({ after: aboveId, ...page }) =>
      read(statements.findDueWebhooks, { aboveId, ...page }),
    async takeDeliveries(request) {
      const statement = statements.takeDeliveries
      const outcome = await queue.commit({ steps: [toStep(statement, request)] })
      return rowsOf(statement, outcome, 0).toSorted((a, b) => a.sequence - b.sequence)
    },
    async recordTries(tries) {
      if (tries.length > 0) await commit({ steps: toRecordSteps(tries, statements) })
    },
  }
}

function toDelivery({ isGivenUp, ...delivery }: SpreadDelivery): Delivery {
  const state = isGivenUp === true ? "failed" : "pending"
  return { ...delivery, state, tries: 0, history: [] }
}

/** Rows are changed in one order, so that two processes never wait for each other. */
function toRecordSteps(tries: readonly RecordedTry[], statements: Statements): readonly Step[] {
  const ordered = tries.toSorted((a, b) => compareNames(a.delivery, b.delivery))
  const deliveries = ordered.flatMap(({ delivery, state, dueAt, history }) => {
    const recorded = toStep(statements.recordTry, { ...delivery, state, dueAt, history })
    if (state !== "pending") return recorded
    return [recorded, toStep(statements.delayFollowers, { ...delivery, dueAt })]
  })
  const newest = new Map<string, Standing & { readonly id: string }>()
  for (const { delivery, standing } of ordered) {
    if (standing === null) continue
    const { endpoint: id } = delivery
    const name = `${id} ${standing.url}`
    if ((newest.get(name)?.at ?? 0) <= standing.at) newest.set(name, { id, ...standing })
  }
  const endpoints = [...newest.values()].map(({ hasSucceeded, ...standing }) =>
    toStep(hasSucceeded ? statements.noteSuccess : statements.noteFailure, standing),
  )
  return [...deliveries, ...endpoints]
}

function compareNames(one: RecordedTry["delivery"], other: RecordedTry["delivery"]): number {
  if (one.endpoint !== other.endpoint) return one.endpoint < other.endpoint ? -1 : 1
  return one.message < other.message ? -1 : 1
}

function createDeliveryLogMethods(
  { read, commit }: Database,
  statements: Statements,
): Pick<
  WebhookStorage,
  | "findDelivery"
  | "listDeliveries"
  | "replayDeliveries"
  | "removeDeliveries"
  | "clearDeliveries"
  | "findUncleared"
> {
  return {
    findDelivery: async (name) => (await read(statements.findDelivery, name))[0],
    listDeliveries({ endpoint, state, before, limit }) {
      const page = {
        endpoint,
        limit,
        state: state ?? "pending",
        belowCreatedAt: before?.createdAt ?? Number.MAX_SAFE_INTEGER,
        belowMessage: before?.message ?? "",
      }
      return read(
        state === undefined ? statements.listDeliveries : statements.listDeliveriesByState,
        page,
      )
    },
    async replayDeliveries({ endpoint, now, ...meant }) {
      const step =
        "message" in meant
          ? toStep(statements.replayOne, { endpoint, now, ...meant })
          : toStep(statements.replayFailed, { endpoint, now, ...meant })
      return countOf(await commit({ steps: [step] }), 0)
    },
    async removeDeliveries(request) {
      return countOf(await commit({ steps: [toStep(statements.removeDeliveries, request)] }), 0)
    },
    async clearDeliveries(request) {
      const outcome = await commit({
        steps: [
          toStep(statements.giveUpDeliveries, request),
          toStep(statements.dropDeliveries, request),
        ],
      })
      return countOf(outcome, 0) + countOf(outcome, 1)
    },
    findUncleared: async () =>
      (await read(statements.findUncleared, {})).map(({ endpoint }) => endpoint),
  }
}
