/**
 * `drill` on a real base backup of PostgreSQL with its write-ahead log, restored to a moment while the original runs on:
 * judged at the pause at which it can only be read, and once more when it could be written.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout } from "node:timers/promises"
import type { DrillReport } from "@safelight/audit"
import {
  archiveLog,
  promote,
  startArchivingPostgres,
  takeBaseBackup,
} from "../../support/postgres-backup.ts"
import { execute } from "../../support/test-database.ts"
import { reach, submit } from "../client.ts"
import { parseKey, runCommand, startService, temporaryFolder } from "../command/command-process.ts"

interface Printed {
  readonly outcome: string
  readonly verify: { readonly outcome: string }
  readonly replay: { readonly outcome: string }
  readonly copy: DrillReport
  readonly artifacts: Readonly<Record<string, unknown>>
}

/** More than a clock's step, so that the moment lies between two commits. */
const GAP_MS = 50

test("a base backup that is restored to a moment lacks exactly what came after it", async (t) => {
  const folder = await temporaryFolder(t)
  await using server = await startArchivingPostgres()
  await execute(server.url("postgres"), "create database house")
  const original = server.url("house")
  const service = await startService(folder, ["--sandbox", "--database", original])
  const client = { url: service.url, key: parseKey(service.stdout()) }
  const finish = async (prompt: string): Promise<string> => {
    const id = await submit(client, prompt)
    await reach(client, id, "succeeded")
    return id
  }
  await finish("fog")
  const backup = await takeBaseBackup(server)
  await finish("smoke")
  const running = await submit(client, "[studio: delay 3s] rain")
  await reach(client, running, "running")
  await setTimeout(GAP_MS)
  const now = "select clock_timestamp()::text as at"
  const [{ at } = { at: "" }] = await execute<{ at: string }>(original, now)
  await setTimeout(GAP_MS)
  const lost = await finish("snow")
  await reach(client, running, "succeeded")
  await archiveLog(server)
  service.kill("SIGTERM")
  await service.ended

  await using restored = await backup.restoreTo(at)
  const words = ["drill", "--restored", restored.url("house"), "--database", original, "--json"]
  const drill = async (): Promise<Printed> => {
    const { code, stderr, stdout } = await runCommand(words, { folder })
    assert.deepEqual([code, stderr], [1, ""])
    return JSON.parse(stdout) as Printed
  }
  const told = await drill()
  const { artifacts, copy, replay, verify } = told
  assert.deepEqual([verify.outcome, replay.outcome], ["whole", "whole"])
  const { loss } = copy
  assert.ok(loss !== null)
  assert.deepEqual([copy.tasks, loss.tasks, loss.lostTasks, loss.earlierTasks], [3, 4, 1, 1])
  assert.deepEqual([loss.isPrefix, copy.unfinishedTasks], [true, 1])
  assert.ok((copy.newestAt ?? Infinity) <= Date.parse(at) && (loss.newestAt ?? 0) > Date.parse(at))
  assert.ok(loss.lostMs > GAP_MS, `${loss.lostMs} ms`)
  assert.deepEqual(
    loss.lostPurchases.map(({ channel, fate, task }) => [channel, fate, task]),
    [["studio", "forgotten", lost]],
  )
  assert.deepEqual([artifacts["artifacts"], artifacts["unknownFiles"]], [2, 1])
  assert.equal(artifacts["lostFiles"], 1)

  await promote(restored)
  const count = "select (select count(*) from deployment)::int + count(*)::int as rows from leases"
  const before = await execute(restored.url("house"), count)
  assert.deepEqual(await drill(), told)
  assert.deepEqual(await execute(restored.url("house"), count), before)
})
