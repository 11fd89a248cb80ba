-- A database as code of schema 3 made it: four tasks, one of them held by a process that was
-- killed. Never changed: such databases exist.
CREATE TABLE "compatibility" ("id" integer not null primary key, "schema_version" integer not null, "oldest_code_version" integer not null) strict, without rowid;
CREATE TABLE "migrations" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "migrations_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "events" ("task" text not null, "version" integer not null, "at" integer not null, "type" text not null, "schema" integer not null, "hash" text not null, "data" text not null, constraint "events_key" primary key ("task", "version")) strict, without rowid;
CREATE TABLE "inputs" ("task" text not null, "name" text not null, "salt" text not null, "body" text not null, constraint "inputs_key" primary key ("task", "name")) strict;
CREATE TABLE "tasks" ("id" text not null primary key, "version" integer not null, "account" text not null, "model" text not null, "status" text not null, "created_at" integer not null, "finished_at" integer not null, "hash" text not null, "snapshot" text not null, "reservation_micros" integer default 0 not null) strict;
CREATE TABLE "artifacts" ("task" text not null, "position" integer not null, "key" text not null, "type" text not null, "mime_type" text not null, "bytes" integer not null, "sha256" text not null, "duration_ms" integer, "place" text not null, "expires_at" integer not null, "expiry_hidden" integer default 0 not null, constraint "artifacts_key" primary key ("task", "position")) strict, without rowid;
CREATE TABLE "ready" ("task" text not null primary key, "model" text not null, "due_at" integer not null, "end_by" integer not null, "claim" text, "claimed_until" integer not null) strict, without rowid;
CREATE TABLE "retention" ("task" text not null primary key, "due_at" integer not null) strict, without rowid;
CREATE TABLE "accounts" ("id" text not null primary key, "created_at" integer not null, "budget_micros" integer, "unfinished_tasks" integer, "retention_ms" integer, "signs_content_urls" integer default 0 not null, "suspended_at" integer default 0 not null, "link_epoch" integer default 0 not null, "rates" text default '{"create":null,"read":null,"content":null}' not null) strict, without rowid;
CREATE TABLE "keys" ("id" text not null primary key, "account" text not null references "accounts" ("id"), "secret_sha256" text not null, "scopes" text not null, "created_at" integer not null, "revoked_at" integer not null, "expires_at" integer not null) strict, without rowid;
CREATE TABLE "charges" ("task" text not null primary key, "account" text not null, "at" integer not null, "model" text not null, "price_version" text not null, "images" integer not null, "output_video_ms" integer not null, "billed_input_ms" integer not null, "charge_micros" integer not null) strict, without rowid;
CREATE TABLE "account_totals" ("account" text not null primary key, "charged_micros" integer not null, "reserved_micros" integer not null, "unfinished_tasks" integer not null) strict, without rowid;
CREATE TABLE "idempotency" ("account" text not null, "key" text not null, "fingerprint" text not null, "task" text not null, "used_at" integer not null, constraint "idempotency_key" primary key ("account", "key")) strict, without rowid;
CREATE TABLE "rates" ("account" text not null, "policy" text not null, "moment" integer not null, constraint "rates_key" primary key ("account", "policy")) strict, without rowid;
CREATE TABLE "link_keys" ("id" text not null primary key, "secret" text not null, "created_at" integer not null, "rank" integer not null) strict, without rowid;
CREATE TABLE "link_epochs" ("task" text not null, "key" text not null, "epoch" integer not null, constraint "link_epochs_key" primary key ("task", "key")) strict, without rowid;
insert into "compatibility" values (1, 3, 3);
insert into "migrations" values ('0001-initial', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0002-task-list', '2026-01-01T00:00:00.000Z');
insert into "migrations" values ('0003-accounts', '2026-01-01T00:00:00.000Z');
insert into "migrations_lock" values ('migration_lock', 0);
insert into "events" values ('done', 1, 1000, 'submitted', 1, '43ee6faa9862410715235955222225ffd327c074c670c2cef051701155c3715c', '{"account":"account","commitment":"0000000000000000000000000000000000000000000000000000000000000000","endBy":100000,"maxAttempts":5,"model":"model-a","parameters":{"size":"square_hd"},"priceVersion":"1","reservationMicros":30000}');
insert into "events" values ('done', 2, 1000, 'dispatched', 1, 'f31c98f0626529416536d44d93783d22214fd169b5669f0d3d7597071d21a1ba', '{"attempt":1,"because":"only","channel":"sample","claim":"claim-1","sendBefore":2000,"upstreamKey":"key-1"}');
insert into "events" values ('done', 3, 1000, 'succeeded', 1, '3abbf90bc52f090cb163adc2a289b2e5a5ab5e7f9ad417d8ad2b5b813abcb487', '{"artifacts":[{"bytes":10,"durationMs":null,"expiresAt":5000,"key":"image_1","mimeType":"image/png","place":"place/0","sha256":"abababababababababababababababababababababababababababababababab","type":"image"}],"chargeMicros":30000,"usage":{"images":1,"inputVideosMs":[],"outputVideoMs":0}}');
insert into "events" values ('free', 1, 1000, 'submitted', 1, '140ace097d0211728898a96ffc407e600f639d2eb6e613297f56fab95c3dfdb8', '{"account":"account","commitment":"0000000000000000000000000000000000000000000000000000000000000000","endBy":100000,"maxAttempts":5,"model":"model-a","parameters":{"size":"square_hd"},"priceVersion":"1","reservationMicros":30000}');
insert into "events" values ('held', 1, 1000, 'submitted', 1, 'd18dc6db5f9ea45bf09b6ff90ae074c1dba874be6f3740718e0e1fefb7db3b0e', '{"account":"account","commitment":"0000000000000000000000000000000000000000000000000000000000000000","endBy":100000,"maxAttempts":5,"model":"model-a","parameters":{"size":"square_hd"},"priceVersion":"1","reservationMicros":30000}');
insert into "events" values ('held', 2, 1000, 'dispatched', 1, '1bac709cc982aa45e8d38d479712467c02b299e6308bc9855f67bd2737caab37', '{"attempt":1,"because":"only","channel":"sample","claim":"claim-1","sendBefore":2000,"upstreamKey":"key-1"}');
insert into "events" values ('held', 3, 1000, 'accepted', 1, '31e78f695e3e1c6086c8a93eb5012a3c7734971da6693f27ff3cf5e84365060a', '{"operation":{"id":7}}');
insert into "events" values ('later', 1, 1000, 'submitted', 1, '3a9819904f971b179f4deec920bd5471ad2c907905a0a8ffd1c5a17d793cc04d', '{"account":"other","commitment":"0000000000000000000000000000000000000000000000000000000000000000","endBy":100000,"maxAttempts":5,"model":"model-b","parameters":{"size":"square_hd"},"priceVersion":"1","reservationMicros":30000}');
insert into "tasks" values ('free', 1, 'account', 'model-a', 'queued', 1000, 0, '140ace097d0211728898a96ffc407e600f639d2eb6e613297f56fab95c3dfdb8', '{"account":"account","artifacts":[],"attempt":0,"chargeMicros":0,"commitment":"0000000000000000000000000000000000000000000000000000000000000000","createdAt":1000,"deferral":null,"dispatch":null,"doubt":null,"endBy":100000,"error":null,"finishedAt":0,"id":"free","maxAttempts":5,"model":"model-a","operation":null,"parameters":{"size":"square_hd"},"priceVersion":"1","progress":0,"reservationMicros":30000,"state":"queued","updatedAt":1000,"usage":null,"version":1}', 30000);
insert into "tasks" values ('later', 1, 'other', 'model-b', 'queued', 1000, 0, '3a9819904f971b179f4deec920bd5471ad2c907905a0a8ffd1c5a17d793cc04d', '{"account":"other","artifacts":[],"attempt":0,"chargeMicros":0,"commitment":"0000000000000000000000000000000000000000000000000000000000000000","createdAt":1000,"deferral":null,"dispatch":null,"doubt":null,"endBy":100000,"error":null,"finishedAt":0,"id":"later","maxAttempts":5,"model":"model-b","operation":null,"parameters":{"size":"square_hd"},"priceVersion":"1","progress":0,"reservationMicros":30000,"state":"queued","updatedAt":1000,"usage":null,"version":1}', 30000);
insert into "tasks" values ('held', 3, 'account', 'model-a', 'running', 1000, 0, '31e78f695e3e1c6086c8a93eb5012a3c7734971da6693f27ff3cf5e84365060a', '{"account":"account","artifacts":[],"attempt":1,"chargeMicros":0,"commitment":"0000000000000000000000000000000000000000000000000000000000000000","createdAt":1000,"deferral":null,"dispatch":{"because":"only","channel":"sample","claim":"claim-1","keyedAt":1000,"sendBefore":2000,"upstreamKey":"key-1"},"doubt":null,"endBy":100000,"error":null,"finishedAt":0,"id":"held","maxAttempts":5,"model":"model-a","operation":{"id":7},"parameters":{"size":"square_hd"},"priceVersion":"1","progress":1,"reservationMicros":30000,"state":"running","updatedAt":1000,"usage":null,"version":3}', 30000);
insert into "tasks" values ('done', 3, 'account', 'model-a', 'succeeded', 1000, 1000, '3abbf90bc52f090cb163adc2a289b2e5a5ab5e7f9ad417d8ad2b5b813abcb487', '{"account":"account","artifacts":[{"bytes":10,"durationMs":null,"expiresAt":5000,"key":"image_1","mimeType":"image/png","place":"place/0","sha256":"abababababababababababababababababababababababababababababababab","type":"image"}],"attempt":1,"chargeMicros":30000,"commitment":"0000000000000000000000000000000000000000000000000000000000000000","createdAt":1000,"deferral":null,"dispatch":{"because":"only","channel":"sample","claim":"claim-1","keyedAt":1000,"sendBefore":2000,"upstreamKey":"key-1"},"doubt":null,"endBy":100000,"error":null,"finishedAt":1000,"id":"done","maxAttempts":5,"model":"model-a","operation":null,"parameters":{"size":"square_hd"},"priceVersion":"1","progress":100,"reservationMicros":30000,"state":"succeeded.available","updatedAt":1000,"usage":{"images":1,"inputVideosMs":[],"outputVideoMs":0},"version":3}', 30000);
insert into "artifacts" values ('done', 0, 'image_1', 'image', 'image/png', 10, 'abababababababababababababababababababababababababababababababab', null, 'place/0', 5000, 0);
insert into "ready" values ('free', 'model-a', 1000, 100000, null, 0);
insert into "ready" values ('held', 'model-a', 1500, 100000, 'node-1', 6000);
insert into "ready" values ('later', 'model-b', 2000, 100000, null, 0);
insert into "retention" values ('done', 7000);
insert into "accounts" values ('account', 900, 1000000, 9, null, 0, 0, 0, '{"create":null,"read":null,"content":null}');
insert into "charges" values ('done', 'account', 1000, 'model-a', '1', 1, 0, 0, 30000);
insert into "account_totals" values ('account', 30000, 60000, 2);
CREATE TRIGGER "events_refuse_update"
        before update on "events"
        begin select raise(abort, 'events is append-only'); end;
CREATE TRIGGER "events_refuse_delete"
        before delete on "events"
        begin select raise(abort, 'events is append-only'); end;
CREATE INDEX "ready_due" on "ready" ("model", "due_at") where "claim" is null;
CREATE INDEX "ready_claimed" on "ready" ("claimed_until") where "claim" is not null;
CREATE INDEX "ready_end" on "ready" ("end_by");
CREATE INDEX "retention_due" on "retention" ("due_at");
CREATE INDEX "tasks_listed" on "tasks" ("account", "created_at", "id");
CREATE INDEX "charges_billed" on "charges" ("account", "at", "charge_micros");
CREATE INDEX "idempotency_task" on "idempotency" ("task");
CREATE INDEX "idempotency_used" on "idempotency" ("used_at");
