/**
 * Begins the tree in a database that has events already. First the tree's row is written while no append is under
 * way, so every event from then on is noted by the trigger. Then the events of all tasks are noted, a page of tasks a
 * commit, with numbers below those of the trigger, so that a task's events stand in the order of their versions. An
 * event that came meanwhile may be noted twice, and gets one leaf all the same (tree-notes.ts).
 *
 *   no row ──beginTree──▶ notedTo = a task ──pages──▶ … ──last page──▶ notedTo = null
 */
import { toStep, type Connections, type Step } from "./sql/driver.ts"
import type { Compiler } from "./sql/statement.ts"
import { TREE_STATEMENTS } from "./tree-statements.ts"

/** SHA-256 of nothing: the root of the tree without leaves. */
const EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/** Before every task. */
const START = ""

/** A page is a commit: a second of it would stop every append on SQLite. */
const PAGE_TASKS = 1_000

/** A number for each task of a page, and many for the last, which has no bound. */
const PAGE_NOTES = 2 ** 20

/** Below zero there is room for 2^32 pages. */
const FIRST_NOTE = -(2 ** 52)

export function createTreeOpening({ commit, read }: Connections, compiler: Compiler) {
  const statements = TREE_STATEMENTS(compiler)

  async function begin(): Promise<void> {
    const steps = [
      toStep(statements.beginTree, { root: EMPTY_ROOT, task: START }),
      toStep(statements.floorNotes, {}),
    ]
    await commit({ steps, alone: "events" })
  }

  async function toSteps(after: string, page: number): Promise<Step[]> {
    const base = FIRST_NOTE + page * PAGE_NOTES
    const tasks = await read(statements.listTasks, { after, limit: PAGE_TASKS })
    const last = tasks.at(-1)?.task
    if (last !== undefined && tasks.length === PAGE_TASKS) {
      return [
        toStep(statements.passPage, { after, last, page }),
        toStep(statements.noteTasks, { after, base, last }),
      ]
    }
    return [
      toStep(statements.passEnd, { after, page }),
      toStep(statements.noteRest, { after, base }),
      toStep(statements.boundDoubled, {}),
    ]
  }

  return async function openTree(): Promise<void> {
    for (;;) {
      const [noted] = await read(statements.readNoted, {})
      if (noted === undefined) await begin()
      else if (noted.notedTo === null) return
      // Another process may have noted the page; the next look tells.
      else await commit({ steps: await toSteps(noted.notedTo, noted.notedPages), isGuarded: true })
    }
  }
}
