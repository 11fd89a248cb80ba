/**
 * The statements of webhook deliveries. One that is taken stays `pending`: its due moment is put to the end of
 * the time that its taker has, so one that a dead process held is due again by itself. `tries` tells the newest
 * taking from an older one.
 */
import {
  EXPIRING_TYPE,
  type Delivery,
  type DeliveryName,
  type DeliveryState,
  type ListDeliveriesRequest,
  type RecordedTry,
  type TakeDeliveriesRequest,
  type WaitingRequest,
} from "@safelight/core"
import { sql, type Kysely } from "kysely"
import { describeStatements } from "./sql/statement.ts"
import { allOf, TABLES, type StoreDatabase } from "./sql/tables.ts"

const PENDING = sql.lit("pending" as const)
const FAILED = sql.lit("failed" as const)

export interface Clearing {
  readonly endpoint: string
  readonly limit: number
}

export interface FailedPage extends Clearing {
  readonly now: number
  readonly since: number
}

/** A row if the endpoint is there, and enabled. */
function selectEnabled(db: Kysely<StoreDatabase>, endpoint: string) {
  return db
    .selectFrom("webhookEndpoints")
    .select("id")
    .where("id", "=", endpoint)
    .where((of) => of("disabledAt", "=", of.lit(0)))
}

const OUTBOX = describeStatements(({ db, compile, dialect }) => ({
  insertDelivery: compile((delivery: Delivery) =>
    db
      .insertInto("webhookDeliveries")
      .values(allOf(TABLES.webhookDeliveries, delivery))
      .onConflict((conflict) => conflict.columns(["endpoint", "message"]).doNothing()),
  ),
  countWaiting: compile(({ dueBy, endpoint, most }: WaitingRequest) =>
    db
      .selectFrom((of) =>
        of
          .selectFrom("webhookDeliveries")
          .select("message")
          .where("endpoint", "=", endpoint)
          .where("state", "=", PENDING)
          .where("dueAt", "<=", dueBy)
          .where("type", "<>", sql.lit(EXPIRING_TYPE))
          .limit(most)
          .as("waiting"),
      )
      .select((of) => of.cast<number>(of.fn.countAll(), dialect.integerType).as("count")),
  ),
  recordTry: compile(
    (recorded: DeliveryName & Pick<Delivery, "tries" | "state" | "dueAt" | "history">) =>
      db
        .updateTable("webhookDeliveries")
        .set({ state: recorded.state, dueAt: recorded.dueAt, history: recorded.history })
        .where("endpoint", "=", recorded.endpoint)
        .where("message", "=", recorded.message)
        .where("tries", "=", recorded.tries)
        .where("state", "=", PENDING),
  ),
  /** Those behind a delivery wait as long: otherwise they would be looked at each time. */
  delayFollowers: compile(
    ({
      dueAt,
      endpoint,
      sequence,
      subject,
    }: RecordedTry["delivery"] & { readonly dueAt: number }) =>
      db
        .updateTable("webhookDeliveries")
        .set({ dueAt })
        .where("endpoint", "=", endpoint)
        .where("subject", "=", subject)
        .where("sequence", ">", sequence)
        .where("state", "=", PENDING)
        .where("dueAt", "<", dueAt),
  ),
}))

const TAKINGS = describeStatements(({ db, compile, dialect }) => ({
  /** Returned in no order. */
  takeDeliveries: compile(({ endpoint, limit, now, until }: TakeDeliveriesRequest) =>
    db
      .with(
        (cte) => cte("chosen").materialized(),
        (of) =>
          of
            .selectFrom("webhookDeliveries as waiting")
            .select("waiting.message")
            .where("waiting.endpoint", "=", endpoint)
            .where("waiting.state", "=", PENDING)
            .where("waiting.dueAt", "<=", now)
            .where((where) =>
              where.not(
                where.exists(
                  where
                    .selectFrom("webhookDeliveries as earlier")
                    .select("earlier.message")
                    .whereRef("earlier.endpoint", "=", "waiting.endpoint")
                    .whereRef("earlier.subject", "=", "waiting.subject")
                    .where("earlier.state", "=", PENDING)
                    .whereRef("earlier.sequence", "<", "waiting.sequence"),
                ),
              ),
            )
            .where((where) => where.exists(selectEnabled(db, endpoint)))
            .orderBy("waiting.dueAt")
            .orderBy("waiting.sequence")
            .limit(limit)
            .$if(dialect.canSkipLocked, (chosen) => chosen.forUpdate("waiting").skipLocked()),
      )
      .updateTable("webhookDeliveries")
      .from("chosen")
      .set((of) => ({ dueAt: until, tries: of("tries", "+", of.lit(1)) }))
      .where("webhookDeliveries.endpoint", "=", endpoint)
      .whereRef("webhookDeliveries.message", "=", "chosen.message")
      .returning(
        TABLES.webhookDeliveries.members.map((name) => `webhookDeliveries.${name}` as const),
      ),
  ),
}))

export interface DeliveryPage extends Pick<ListDeliveriesRequest, "endpoint" | "limit"> {
  readonly state: DeliveryState
  /** Exclusive. */
  readonly belowCreatedAt: number
  readonly belowMessage: string
}

const LOG = describeStatements(({ db, compile }) => {
  const columns = db.selectFrom("webhookDeliveries").select(TABLES.webhookDeliveries.members)
  const compileList = (hasState: boolean) =>
    compile((page: DeliveryPage) =>
      columns
        .where("endpoint", "=", page.endpoint)
        .where((of) =>
          of(
            of.refTuple("createdAt", "message"),
            "<",
            of.tuple(page.belowCreatedAt, page.belowMessage),
          ),
        )
        .$if(hasState, (list) => list.where("state", "=", page.state))
        .orderBy("createdAt", "desc")
        .orderBy("message", "desc")
        .limit(page.limit),
    )
  return {
    findDelivery: compile(({ endpoint, message }: DeliveryName) =>
      columns.where("endpoint", "=", endpoint).where("message", "=", message),
    ),
    listDeliveries: compileList(false),
    listDeliveriesByState: compileList(true),
  }
})

const REPLAYS = describeStatements(({ db, compile }) => {
  const replay = ({ endpoint, now }: { readonly endpoint: string; readonly now: number }) =>
    db
      .updateTable("webhookDeliveries")
      .set((of) => ({ state: PENDING, tries: of.lit(0), dueAt: now }))
      .where("state", "<>", PENDING)
      .where("endpoint", "=", endpoint)
      .where((of) => of.exists(selectEnabled(db, endpoint)))
  return {
    replayOne: compile((request: DeliveryName & { readonly now: number }) =>
      replay(request).where("message", "=", request.message),
    ),
    replayFailed: compile((request: FailedPage) =>
      replay(request).where("message", "in", (of) =>
        of
          .selectFrom("webhookDeliveries as failed")
          .select("failed.message")
          .where("failed.endpoint", "=", request.endpoint)
          .where("failed.state", "=", FAILED)
          .where("failed.createdAt", ">=", request.since)
          .orderBy("failed.createdAt")
          .limit(request.limit),
      ),
    ),
  }
})

const REMOVALS = describeStatements(({ db, compile }) => ({
  /** The oldest first. */
  removeDeliveries: compile(({ before, limit }: { before: number; limit: number }) =>
    db
      .deleteFrom("webhookDeliveries")
      .where((of) =>
        of(
          of.refTuple("endpoint", "message"),
          "in",
          of
            .selectFrom("webhookDeliveries as old")
            .select(["old.endpoint", "old.message"])
            .where("old.state", "<>", PENDING)
            .where("old.createdAt", "<", before)
            .orderBy("old.createdAt")
            .limit(limit)
            .$asTuple("endpoint", "message"),
        ),
      ),
  ),
}))

/** What endpoints leave behind that are disabled or deleted. */
const CLEARINGS = describeStatements(({ db, compile }) => ({
  /** Of an endpoint that is disabled. */
  giveUpDeliveries: compile(({ endpoint, limit }: Clearing) =>
    db
      .updateTable("webhookDeliveries")
      .set({ state: FAILED })
      .where("endpoint", "=", endpoint)
      .where("message", "in", (of) =>
        of
          .selectFrom("webhookDeliveries as waiting")
          .select("waiting.message")
          .where("waiting.endpoint", "=", endpoint)
          .where("waiting.state", "=", PENDING)
          .limit(limit),
      )
      .where((of) =>
        of.exists(
          of
            .selectFrom("webhookEndpoints")
            .select("id")
            .where("id", "=", endpoint)
            .where("disabledAt", "<>", of.lit(0)),
        ),
      ),
  ),
  /** Of an endpoint that is deleted. */
  dropDeliveries: compile(({ endpoint, limit }: Clearing) =>
    db
      .deleteFrom("webhookDeliveries")
      .where("endpoint", "=", endpoint)
      .where("message", "in", (of) =>
        of
          .selectFrom("webhookDeliveries as left")
          .select("left.message")
          .where("left.endpoint", "=", endpoint)
          .limit(limit),
      )
      .where((of) =>
        of.not(
          of.exists(of.selectFrom("webhookEndpoints").select("id").where("id", "=", endpoint)),
        ),
      ),
  ),
}))

const UNCLEARED = describeStatements(({ db, compile }) => ({
  /** Steps from one endpoint that has deliveries to the next: few rows are looked at, however many there are. */
  findUncleared: compile(() =>
    db
      .withRecursive("endpoints", (of) =>
        of
          .selectFrom("webhookDeliveries")
          .select((min) => min.fn.min<string | null>("endpoint").as("endpoint"))
          .unionAll(
            of
              .selectFrom("endpoints")
              .select((step) =>
                step
                  .selectFrom("webhookDeliveries as next")
                  .select((min) => min.fn.min<string | null>("next.endpoint").as("endpoint"))
                  .whereRef("next.endpoint", ">", "endpoints.endpoint")
                  .as("endpoint"),
              )
              .where("endpoints.endpoint", "is not", null),
          ),
      )
      .selectFrom("endpoints")
      .leftJoin("webhookEndpoints", "webhookEndpoints.id", "endpoints.endpoint")
      .select((of) => of.ref("endpoints.endpoint").$notNull().as("endpoint"))
      .where("endpoints.endpoint", "is not", null)
      .where((of) =>
        of.or([
          of("webhookEndpoints.id", "is", null),
          of.and([
            of("webhookEndpoints.disabledAt", "<>", of.lit(0)),
            of.exists(
              of
                .selectFrom("webhookDeliveries as waiting")
                .select("waiting.message")
                .whereRef("waiting.endpoint", "=", "endpoints.endpoint")
                .where("waiting.state", "=", PENDING),
            ),
          ]),
        ]),
      ),
  ),
}))

export const DELIVERY_STATEMENTS = describeStatements((compiler) => ({
  ...OUTBOX(compiler),
  ...TAKINGS(compiler),
  ...LOG(compiler),
  ...REPLAYS(compiler),
  ...REMOVALS(compiler),
  ...CLEARINGS(compiler),
  ...UNCLEARED(compiler),
}))
