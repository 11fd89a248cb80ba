/**
 * `tree_noted_ratio`: submissions per second on SQLite with a tree over the log, over those without one, in turns;
 * `tree_sequenced_ratio`: while a thread gives the events their leaves. `tree_sequenced_per_s`: events that get them
 * while nothing else happens.
 */
import { parseArgs } from "node:util"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { report } from "./measure.ts"
import { measureTreeCost, toTreeFigures } from "./tree-rounds.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
await using offFolder = await createTemporaryFolder()
await using onFolder = await createTemporaryFolder()
const off = await createSqliteStorage({ folder: offFolder.path, mode: "serve" })
const on = await createSqliteStorage({ folder: onFolder.path, mode: "serve" })
const scale = values.quick ? { rounds: 1, total: 1_000 } : { rounds: 7, total: 60_000 }
const place = { folder: onFolder.path }
report(toTreeFigures(await measureTreeCost({ off, on, place, ...scale })))
await off.close()
await on.close()
