/**
 * `tree_noted_ratio`: submissions per second with a tree over the log, over those without one, in turns;
 * `tree_sequenced_ratio`: while a thread gives the events their leaves. `tree_sequenced_per_s`: events that get them
 * while nothing else happens.
 */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { measureTreeCost, toTreeFigures } from "../tree-rounds.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"

await using offDatabase = await createDatabase("off")
await using onDatabase = await createDatabase("on")
const off = await createPostgresStorage({ url: offDatabase.url })
const on = await createPostgresStorage({ url: onDatabase.url })
const isQuick = process.argv.includes("--quick")
const scale = isQuick ? { rounds: 1, total: 1_000 } : { rounds: 7, total: 60_000 }
const place = { url: onDatabase.url }
reportFigures(toTreeFigures(await measureTreeCost({ off, on, place, ...scale })))
await off.close()
await on.close()
