/**
 * What a database's URL may say besides where it is: settings of a connection hold, and those that
 * durability rests on are not given up for them.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { submitSample } from "@safelight/testkit"
import { createTestDatabase, execute } from "../../support/test-database.ts"

/** Notes what holds on the connection that commits. */
const WITNESS = `
  create table elsewhere.seen (synchronous_commit text);
  create function elsewhere.note() returns trigger language plpgsql as $$
    begin
      insert into elsewhere.seen values (current_setting('synchronous_commit'));
      return null;
    end $$;
  create trigger note after insert on elsewhere.events
    for each statement execute function elsewhere.note()`

test("a schema named in the URL's options is used, and commits stay durable", async () => {
  await using database = await createTestDatabase()
  await execute(database.url, "create schema elsewhere")
  const url = new URL(database.url)
  url.searchParams.set("options", "-c search_path=elsewhere -c synchronous_commit=off")
  const storage = await createPostgresStorage({ url: url.href })
  await execute(database.url, WITNESS)
  const { append, head } = submitSample({ id: "task" })
  await storage.append(append)
  assert.deepEqual(await storage.readTask("task"), head)
  await storage.close()
  const tables = await execute<{ schema: string }>(
    database.url,
    "select schemaname as schema from pg_tables where tablename in ('events', 'tasks', 'ready')",
  )
  assert.deepEqual(
    tables.map(({ schema }) => schema),
    ["elsewhere", "elsewhere", "elsewhere"],
  )
  const seen = await execute(database.url, "select * from elsewhere.seen")
  assert.deepEqual(seen, [{ synchronous_commit: "on" }])
})
