/** A tree over the log in PostgreSQL, on several nodes, whose commits become visible in any order. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createSequencer, createTreeHash } from "@safelight/proof"
import { sha256 } from "@safelight/proof/node"
import { addTask, assertWhole } from "../../support/sample-log.ts"
import { describeTree } from "../store/describe-tree.ts"
import { open } from "./open.ts"

describeTree("PostgreSQL", async () => {
  const opened = await open()
  const storages = [opened.storage, await opened.openBeside(), await opened.openBeside()]
  return {
    storages,
    async addByHand(task) {
      await opened.execute(
        `insert into events (task, version, at, schema, type, hash, data)
        values ('${task}', 1, 5, 1, 'submitted', decode('${"ab".repeat(32)}', 'hex'), '{}')`,
      )
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
})

/**
 * As schema 8 has them: a note a task, in JSON. Schema 10 removes the table of artifacts, 11 makes that of bundles, 12
 * adds the pools, and 13 the sums of hours.
 */
const TO_EARLIER_NOTES = `
  begin;
  alter table unsequenced_events drop column events;
  alter table unsequenced_events add column events text not null default '[]';
  delete from unsequenced_events where id > 0;
  insert into unsequenced_events (events)
  select '[' || string_agg(
    '["' || encode(task, 'hex') || '",' || version || ',' || at || ',"' || encode(hash, 'hex') || '"]',
    ',' order by version
  ) || ']' from events group by task order by task;
  create table artifacts (task bytea);
  update compatibility set schema_version = 8, oldest_code_version = 7;
  drop table tree_bundles;
  alter table ready drop column pool_number, drop column pool_size;
  drop table summed_hours, outcome_sums;
  drop function outcomes_delete_summed_hours cascade;
  commit`

describe("notes of an earlier release", () => {
  it("have the same events once they are packed, and the next come behind them", async () => {
    await using opened = await open()
    const { storage } = opened
    await storage.openTree()
    const ids = ["01939f6a-7c2e-7b1d-8a4f-0123456789ab", "sixteen letters.", "t"]
    for (const id of ids) await addTask(storage, id)
    const before = await storage.listUnsequenced(100)
    await opened.execute(TO_EARLIER_NOTES)
    // The migration waits for processes of the earlier release to end.
    await storage.close()
    const migrated = await opened.openBeside()
    const after = await migrated.listUnsequenced(100)
    assert.equal(after.notes.length, ids.length)
    assert.deepEqual(after.events, before.events)
    await addTask(migrated, "later")
    const all = await migrated.listUnsequenced(100)
    assert.deepEqual(all.events.slice(0, after.events.length), after.events)
    const sequencer = createSequencer({ storage: migrated, tree: createTreeHash(sha256) })
    assert.equal((await sequencer.sequence())?.size, 3 * (ids.length + 1))
    await assertWhole(migrated)
  })
})
