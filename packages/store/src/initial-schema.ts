/**
 * Schema 1: every table and index. It is frozen: a later schema is a migration of its own, never a
 * change here, since databases exist that ran it. So it does not read `tables.ts`, which says what the
 * newest schema is; a test compares the two.
 *
 * The words in capitals are the dialect's: `NAME` is text that sorts by its bytes, `COMPACT` a text that
 * nearly always is a UUID or a SHA-256, `INT` holds every safe integer, `SMALL` any count, `KEYED` ends a
 * table that is read by its primary key, `WIDE` one whose rows are large. Numbers stand before texts, so
 * that a row needs no padding between them. In `tasks` the columns that never change come first and the
 * snapshot last: what PostgreSQL writes of a change leaves out how a row begins and ends as it did before.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

const TABLES = `
create table events (
  at INT not null, version SMALL not null, schema SMALL not null, task COMPACT not null,
  type text not null, hash COMPACT not null, data text not null, primary key (task, version)
) KEYED;
create table inputs (
  task COMPACT not null, name text not null, salt text not null, body text not null,
  primary key (task, name)
) WIDE;
create table labels (
  created_at INT not null, task COMPACT not null, account NAME not null, label NAME not null,
  primary key (account, label, created_at, task)
) KEYED;
create table tasks (
  created_at INT not null, reservation_micros INT not null, task COMPACT not null,
  account NAME not null, model text not null, finished_at INT not null, version SMALL not null,
  status text not null, hash COMPACT not null, snapshot text not null, primary key (task)
) WIDE;
create table artifacts (
  bytes INT not null, duration_ms INT, expires_at INT not null, position SMALL not null,
  expiry_hidden SMALL not null, task COMPACT not null, key text not null, type text not null,
  mime_type text not null, sha256 COMPACT not null, locator text not null,
  primary key (task, position)
) KEYED;
create table charges (
  at INT not null, images INT not null, output_video_ms INT not null, billed_input_ms INT not null,
  charge_micros INT not null, task COMPACT not null, account NAME not null, model text not null,
  price_version text not null, primary key (task)
) KEYED;
create table outcomes (
  at INT not null, dispatched_at INT not null, charge_micros INT not null, cost_micros INT not null,
  attempt SMALL not null, task COMPACT not null, channel NAME not null, model NAME not null,
  cost_source text not null, outcome text not null, primary key (task, attempt)
) KEYED;
create table ready (
  due_at INT not null, end_by INT not null, start_tag INT, task COMPACT not null, account NAME not null,
  model text not null, lease COMPACT, primary key (task)
) KEYED;
create table leases (
  heartbeats INT not null, lease COMPACT not null, facts text not null, primary key (lease)
) KEYED;
create table retention (due_at INT not null, task COMPACT not null, primary key (task)) KEYED;
create table idempotency (
  used_at INT not null, account NAME not null, key text not null, fingerprint COMPACT not null,
  task COMPACT not null, primary key (account, key)
) KEYED;
create table accounts (
  id NAME not null, created_at INT not null, budget_micros INT, link_epoch INT not null default 0,
  rates text not null default '{"create":null,"read":null,"content":null}', retention_ms INT,
  max_retention_ms INT not null default 0, running_tasks INT, signs_content_urls INT not null default 0, suspended_at INT not null default 0,
  unfinished_tasks INT, weight INT not null default 1, primary key (id)
) KEYED;
create table account_totals (
  account NAME not null, charged_micros INT not null, reserved_micros INT not null,
  unfinished_tasks INT not null, primary key (account)
) KEYED;
create table keys (
  id NAME not null, account NAME not null, secret_sha256 text not null, scopes text not null,
  created_at INT not null, revoked_at INT not null, expires_at INT not null, primary key (id)
) KEYED;
create table rates (
  account NAME not null, policy text not null, moment INT not null, primary key (account, policy)
) KEYED;
create table link_keys (
  id NAME not null, secret text not null, created_at INT not null, rank INT not null, primary key (id)
) KEYED;
create table link_epochs (
  task COMPACT not null, key text not null, epoch INT not null, primary key (task, key)
) KEYED;
create table transfers (id NAME not null, state text not null, at INT not null, primary key (id)) KEYED;
create table deployment (
  id INT not null, revision INT not null, origin text not null, artifacts_mark text,
  adopted_at INT not null, primary key (id)
) KEYED;
create table deployment_secrets (
  adopted_at INT not null, secret text not null, primary key (adopted_at)
) KEYED;
create table paused_channels (
  channel NAME not null, paused_at INT not null, primary key (channel)
) KEYED;
create table feeds (
  position INT not null, kept_until INT not null, spread_to INT not null, account NAME not null,
  id text not null, primary key (account)
) KEYED;
create table feed_entries (
  position INT not null, at INT not null, version SMALL not null, task COMPACT not null,
  account NAME not null, type text not null, primary key (account, position)
) KEYED;
create table webhook_endpoints (
  created_at INT not null, disabled_at INT not null, failing_since INT not null,
  proven_at INT not null, revision SMALL not null, id NAME not null, account NAME not null,
  url text not null, description text not null, types text not null, secrets text not null,
  disabled_reason text, primary key (id)
) KEYED;
create table webhook_deliveries (
  created_at INT not null, due_at INT not null, sequence INT not null, tries SMALL not null,
  endpoint NAME not null, message NAME not null, subject COMPACT not null, state text not null,
  type text not null, payload text not null, history text not null, primary key (endpoint, message)
) WIDE`

/**
 * No column of `tasks_listed` changes once a task is created, so that advancing a task does not write the index.
 * `charges_billed` includes the amount, so that an account's whole bill is summed without its rows. A row of
 * `ready` is one of three kinds, and each has an index of its own: see queue-statements.ts. Few webhook
 * deliveries are pending and many are over, and the pending ones are read all the time.
 */
const INDEXES = `
create index tasks_listed on tasks (account, created_at, task);
create index labels_task on labels (task);
create index charges_billed on charges (account, at, charge_micros);
create index outcomes_ended on outcomes (at);
create index ready_new on ready (model, start_tag, task)
  where lease is null and start_tag is not null;
create index ready_due on ready (model, due_at, task) where lease is null and start_tag is null;
create index ready_held on ready (lease) where lease is not null;
create index ready_end on ready (end_by);
create index retention_due on retention (due_at);
create index idempotency_task on idempotency (task);
create index idempotency_used on idempotency (used_at);
create index webhooks_owned on webhook_endpoints (account, created_at, id);
create index deliveries_due on webhook_deliveries (endpoint, due_at, sequence) where state = 'pending';
create index deliveries_ordered on webhook_deliveries (endpoint, subject, sequence)
  where state = 'pending';
create index deliveries_failed on webhook_deliveries (endpoint, created_at) where state = 'failed';
create index deliveries_listed on webhook_deliveries (endpoint, created_at, message);
create index deliveries_over on webhook_deliveries (created_at) where state <> 'pending'`

export async function createInitialSchema(
  db: Kysely<unknown>,
  {
    compactType,
    integerType,
    keyedTable,
    makeAppendOnly,
    nameType,
    smallIntegerType,
    wideTable,
  }: StoreDialect,
): Promise<void> {
  const words: Readonly<Record<string, string>> = {
    COMPACT: compactType,
    INT: integerType,
    KEYED: keyedTable,
    NAME: nameType,
    SMALL: smallIntegerType,
    WIDE: wideTable,
  }
  for (const statement of `${TABLES};${INDEXES}`.split(";")) {
    const text = statement.replaceAll(/\b[A-Z]+\b/g, (word) => words[word] ?? word)
    await sql.raw(text).execute(db)
  }
  for (const statement of makeAppendOnly("events")) await statement.execute(db)
}
