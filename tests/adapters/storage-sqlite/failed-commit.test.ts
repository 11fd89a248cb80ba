/**
 * Commits that fail because the disk can't sync, in a process that is then killed: its log holds
 * what the commit wrote, and the next start takes it for committed. What a caller was told must hold
 * all the same. `strace` makes the calls fail.
 */
import assert from "node:assert/strict"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe, it } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { skipWithoutStrace, startTraced } from "./traced-process.ts"

const CHILD = join(import.meta.dirname, "admitting-process.ts")
/** Behind the syncs of opening and migrating, each of which counts. */
const FIRST_FAILURE = 30

describe("a process whose commits fail and that is killed", { skip: skipWithoutStrace }, () => {
  it("calls undone what the next start doesn't find, if the disk syncs again", async () => {
    // Both tries of a batch fail, and the small commit behind them doesn't.
    const told = await tellUntilKilled({ when: `${FIRST_FAILURE}..${FIRST_FAILURE + 1}`, more: 0 })
    const undone = told.outcomes.filter(([, words]) => words === "storage-unavailable undone")
    assert.equal(undone.length, 1)
    assert.deepEqual(told.strangers, [])
    assert.deepEqual(told.lost, [])
  })

  it("calls nothing undone while the disk doesn't sync", async () => {
    const told = await tellUntilKilled({ when: `${FIRST_FAILURE}+`, more: 20 })
    const failed = told.outcomes.map(([, words]) => words).filter((words) => words !== "stored")
    assert.deepEqual(
      failed,
      Array.from({ length: 21 }, () => "outcome-unknown"),
    )
    assert.deepEqual(told.lost, [])
  })
})

interface Told {
  readonly outcomes: readonly (readonly [id: string, words: string])[]
  /** Tasks that the next start finds though they were called undone. */
  readonly strangers: readonly string[]
  /** Tasks that it does not find though they were called stored. */
  readonly lost: readonly string[]
}

interface Faults {
  /** Which of a thread's syncs fail. */
  readonly when: string
  /** Admissions at once, behind the first one that failed. */
  readonly more: number
}

/** Runs a child whose disk can't sync, kills it, and compares what it said with the folder. */
async function tellUntilKilled({ when, more }: Faults): Promise<Told> {
  await using folder = await createTemporaryFolder()
  const injection = { calls: "fsync,fdatasync", when }
  const { child, kill } = startTraced(injection, [CHILD, folder.path, String(more)])
  const ended = once(child, "close")
  const outcomes: [string, string][] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "done") kill()
    const [id = "", ...words] = line.split(" ")
    if (words.length > 0) outcomes.push([id, words.join(" ")])
  }
  await ended
  const storage = await createSqliteStorage({ folder: folder.path })
  const found = new Set<string>()
  for (const [id] of outcomes) {
    if ((await storage.readTask(id)) !== undefined) found.add(id)
  }
  await storage.close()
  return {
    outcomes,
    strangers: outcomes
      .filter(([id, words]) => words.endsWith("undone") && found.has(id))
      .map(([id]) => id),
    lost: outcomes.filter(([id, words]) => words === "stored" && !found.has(id)).map(([id]) => id),
  }
}
