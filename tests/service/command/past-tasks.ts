/**
 * Tasks of two accounts over the turn of a month, as an engine would have recorded them in the autumn of 2025, charged
 * by a price that the database alone knows.
 */
import { join } from "node:path"
import type { TestContext } from "node:test"
import {
  sealPrices,
  toPriceDefinitions,
  toPriceVersion,
  type Storage,
  type TaskCommand,
} from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { advanceSample, dispatchSample, submitSample, succeedSample } from "@safelight/testkit"
import { createTestDatabase } from "../../support/test-database.ts"
import { temporaryFolder } from "./command-process.ts"

export const EDIT = "vendor-b/imagine-image/v2.0/edit"

/** Of no configuration. */
const [TABLE] = sealPrices(
  [{ version: "2025-09", models: { [EDIT]: { perImageMicros: 20_000 } } }],
  sha256,
)
export const PRICE_VERSION = toPriceVersion(TABLE, EDIT)
export const [PRICE] = toPriceDefinitions([TABLE], sha256)

export const NOVEMBER = Date.UTC(2025, 10)

export const toId = (index: number): string =>
  `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`

interface PastTask {
  readonly account: string
  readonly submittedAt: number
  /** Absent while it waits. */
  readonly end?: { readonly at: number; readonly command: TaskCommand }
}

const success = (images: number): TaskCommand =>
  succeedSample(images, { chargeMicros: 20_000 * images })

const failure: TaskCommand = { kind: "fail", attempt: 1, code: "no_output" }

const billed: TaskCommand = {
  ...failure,
  billed: {
    chargeMicros: 20_000,
    usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
  },
}

const DAY_MS = 86_400_000

/** By their ids. */
export const PAST_TASKS: readonly PastTask[] = [
  {
    account: "ann",
    submittedAt: NOVEMBER - 40 * DAY_MS,
    end: { at: NOVEMBER - 1, command: success(2) },
  },
  { account: "ann", submittedAt: NOVEMBER - 5, end: { at: NOVEMBER, command: success(1) } },
  { account: "ann", submittedAt: NOVEMBER - 4, end: { at: NOVEMBER + 1, command: success(3) } },
  {
    account: "ben",
    submittedAt: NOVEMBER - 20 * DAY_MS,
    end: { at: NOVEMBER - 19 * DAY_MS, command: billed },
  },
  {
    account: "ben",
    submittedAt: NOVEMBER - DAY_MS,
    end: { at: NOVEMBER + DAY_MS, command: failure },
  },
  { account: "ben", submittedAt: NOVEMBER + 2 * DAY_MS },
]

/** The folder of a command, with them in its data. It goes with the test. */
export async function recordPastFolder(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const storage = await createSqliteStorage({ folder: join(folder, "data") })
  await recordPastTasks(storage)
  await storage.close()
  return folder
}

/** A PostgreSQL database with them, which goes with the test. */
export async function recordPastDatabase(t: TestContext): Promise<{ readonly url: string }> {
  const database = await createTestDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  const storage = await createPostgresStorage({ url: database.url })
  await recordPastTasks(storage)
  await storage.close()
  return database
}

export async function recordPastTasks(
  storage: Pick<Storage, "append" | "keepDefinitions">,
): Promise<void> {
  if (PRICE !== undefined) await storage.keepDefinitions([PRICE])
  for (const [index, task] of PAST_TASKS.entries()) {
    // oxlint-disable-next-line no-await-in-loop
    await recordPastTask(storage, toId(index), task)
  }
}

export async function recordPastTask(
  storage: Pick<Storage, "append">,
  id: string,
  { account, end, submittedAt }: PastTask,
): Promise<void> {
  const submitted = {
    account,
    model: EDIT,
    parameters: {},
    priceVersion: PRICE_VERSION,
    reservationMicros: 80_000,
    endBy: submittedAt + 90 * DAY_MS,
  }
  const { append, head } = submitSample({ id, submitted, now: submittedAt })
  await storage.append(append)
  if (end === undefined) return
  const dispatched = advanceSample(head, [dispatchSample()], { now: submittedAt + 1 })
  await storage.append(dispatched.append)
  await storage.append(advanceSample(dispatched.head, [end.command], { now: end.at }).append)
}
