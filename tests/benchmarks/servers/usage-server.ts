/**
 * The task API over SQLite in a process of its own, with as many charges of one account as it is
 * told; its engine is not started. Tells the parent where it listens, a key of that account, and of
 * another one a key and the id of a task that waits.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createEngine, systemClock } from "@safelight/engine"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createAccess, createKey } from "@safelight/access"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { announce } from "./announce.ts"

const [folder = "", charges = "0"] = process.argv.slice(2)
const storage = await createSqliteStorage({ folder, mode: "serve" })
const artifacts = createFilesystemArtifacts({ folder: `${folder}/artifacts` })
const engine = createEngine({ storage, artifacts, channels: [createInstantChannel()] })

/** Rows alone: as many tasks would take minutes to make. */
function addCharges(account: string, count: number): void {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  const statement = database.prepare(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers limit ?)
     insert into charges (task, account, at, billed_input_ms, charge_micros, images, model,
       output_video_ms, price_version)
     select 'charged-' || n, ?, n, 0, 10000, 1, ?, 0, '1' from numbers`,
  )
  statement.run(count, account, SAMPLE_REQUEST.model)
  database.close()
}

async function makeKey(account: string): Promise<string> {
  return (await createKey({ keys: storage, account, now: Date.now() })).key
}

const large = { key: await makeKey("large") }
addCharges("large", Number(charges))
const key = await makeKey("other")
const submitted = await engine.submit({ ...SAMPLE_REQUEST, account: "other" })
if (submitted.kind !== "submitted") throw new Error("a task was not accepted")
const publicUrl = (): string => "http://127.0.0.1"
const access = createAccess({ storage, service: engine, clock: systemClock })
const handler = createHttpHandler({ service: engine, access, clock: systemClock, publicUrl })
const { url } = await createNodeServer({ handler })
announce({ url, large, other: { key, id: submitted.task.id } })
