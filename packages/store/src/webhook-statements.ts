/** The statements of webhook endpoints, and of the feeds that are kept for them and spread to them. */
import {
  KEPT_FOREVER,
  type FanOutRequest,
  type Standing,
  type WebhookEndpoint,
  type WebhookName,
} from "@safelight/core"
import { sql } from "kysely"
import { DELIVERY_STATEMENTS } from "./delivery-statements.ts"
import { describeStatements } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

const PENDING = sql.lit("pending" as const)

const ENDPOINTS = describeStatements(({ db, compile }) => {
  const columns = db.selectFrom("webhookEndpoints").select(TABLES.webhookEndpoints.members)
  return {
    insertWebhook: compile((endpoint: WebhookEndpoint) =>
      db
        .insertInto("webhookEndpoints")
        .values(allOf(TABLES.webhookEndpoints, endpoint))
        .onConflict((conflict) => conflict.column("id").doNothing()),
    ),
    /** A row if the account has as many as `most`. */
    findFull: compile(({ account, most }: { account: string; most: number }) =>
      db
        .selectFrom("webhookEndpoints")
        .select("account")
        .where("account", "=", account)
        .groupBy("account")
        .having((of) => of(of.fn.countAll<number>(), ">=", most)),
    ),
    findWebhook: compile(({ account, id }: WebhookName) =>
      columns.where("id", "=", id).where("account", "=", account),
    ),
    listWebhooks: compile(({ account }: { account: string }) =>
      columns.where("account", "=", account).orderBy("createdAt").orderBy("id"),
    ),
    /** Changes no row of another revision than the one before. */
    updateWebhook: compile((endpoint: WebhookEndpoint & { readonly replaced: number }) =>
      db
        .updateTable("webhookEndpoints")
        .set({
          description: endpoint.description,
          disabledAt: endpoint.disabledAt,
          disabledReason: endpoint.disabledReason,
          revision: endpoint.revision,
          secrets: endpoint.secrets,
          types: endpoint.types,
          url: endpoint.url,
        })
        .where("id", "=", endpoint.id)
        .where("account", "=", endpoint.account)
        .where("revision", "=", endpoint.replaced),
    ),
    deleteWebhook: compile(({ account, id }: WebhookName) =>
      db.deleteFrom("webhookEndpoints").where("id", "=", id).where("account", "=", account),
    ),
  }
})

export interface DuePage {
  readonly now: number
  readonly aboveId: string
  readonly limit: number
}

export interface Noted extends Pick<Standing, "at" | "url"> {
  readonly id: string
}

/** The state of endpoints, and which of them have deliveries to be sent. */
const STANDINGS = describeStatements(({ db, compile }) => {
  const columns = db.selectFrom("webhookEndpoints").select(TABLES.webhookEndpoints.members)
  return {
    /** As of a new one. */
    renewWebhook: compile(({ id }: { id: string }) =>
      db
        .updateTable("webhookEndpoints")
        .set((of) => ({ failingSince: of.lit(0), provenAt: of.lit(0) }))
        .where("id", "=", id),
    ),
    noteFailure: compile(({ id, at, url }: Noted) =>
      db
        .updateTable("webhookEndpoints")
        .set((of) => ({ failingSince: at, provenAt: of.lit(0) }))
        .where("id", "=", id)
        .where("url", "=", url)
        .where((of) => of("failingSince", "=", of.lit(0))),
    ),
    noteSuccess: compile(({ id, at, url }: Noted) =>
      db
        .updateTable("webhookEndpoints")
        .set((of) => ({ failingSince: of.lit(0), provenAt: at }))
        .where("id", "=", id)
        .where("url", "=", url)
        .where((of) => of("provenAt", "=", of.lit(0))),
    ),
    findDueWebhooks: compile(({ now, aboveId, limit }: DuePage) =>
      columns
        .where("id", ">", aboveId)
        .where((of) => of("disabledAt", "=", of.lit(0)))
        .where((of) =>
          of.exists(
            of
              .selectFrom("webhookDeliveries")
              .select("message")
              .whereRef("endpoint", "=", "webhookEndpoints.id")
              .where("state", "=", PENDING)
              .where("dueAt", "<=", now),
          ),
        )
        .orderBy("id")
        .limit(limit),
    ),
  }
})

/** What an account's endpoints change in its feed: it is kept for them, and spread to them. */
const FEEDS = describeStatements(({ db, compile }) => {
  const toEndpoints = (account: string) =>
    db.selectFrom("webhookEndpoints").select("id").where("webhookEndpoints.account", "=", account)
  return {
    keepFeed: compile(({ account }: { account: string }) =>
      db
        .updateTable("feeds")
        .set((of) => ({ keptUntil: of.lit(KEPT_FOREVER) }))
        .where("account", "=", account),
    ),
    listUnspread: compile(() =>
      db
        .selectFrom("feeds")
        .select("account")
        .where((of) => of("keptUntil", "=", of.lit(KEPT_FOREVER)))
        .whereRef("spreadTo", "<", "position")
        .orderBy("account"),
    ),
    /** Events from before the account's first endpoint are delivered to none. */
    skipEntries: compile(({ account, id }: WebhookName) =>
      db
        .updateTable("feeds")
        .set((of) => ({ spreadTo: of.ref("position") }))
        .where("account", "=", account)
        .where((of) =>
          of.not(of.exists(toEndpoints(account).where("webhookEndpoints.id", "<>", id))),
        ),
    ),
    /** Changes no row if the feed is another or was spread already. */
    moveSpread: compile(({ account, feed, from, to }: Omit<FanOutRequest, "deliveries">) =>
      db
        .updateTable("feeds")
        .set({ spreadTo: to })
        .where("account", "=", account)
        .where("id", "=", feed)
        .where("spreadTo", "=", from),
    ),
    /** Unless the account has an endpoint left. */
    limitFeedOf: compile(({ account, until }: { account: string; until: number }) =>
      db
        .updateTable("feeds")
        .set({ keptUntil: until })
        .where("account", "=", account)
        .where("keptUntil", ">", until)
        .where((of) => of.not(of.exists(toEndpoints(account)))),
    ),
  }
})

export const WEBHOOK_STATEMENTS = describeStatements((compiler) => ({
  ...ENDPOINTS(compiler),
  ...STANDINGS(compiler),
  ...FEEDS(compiler),
  ...DELIVERY_STATEMENTS(compiler),
}))
