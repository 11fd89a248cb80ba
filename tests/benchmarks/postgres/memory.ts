/** `rss_mb_100k`, and with `--long` `rss_mb_1m`: resident memory of a process that ran so many life cycles. */
import { ratePerSecond } from "../measure.ts"
import { createDatabase } from "./database.ts"
import { reportFigures } from "./figures.ts"
import { openOwn } from "./own.ts"
import { toScale } from "./scale.ts"

const MEBIBYTE = 1024 * 1024
const NAMES = ["rss_mb_100k", "rss_mb_1m"]

await using database = await createDatabase("own")
await using own = await openOwn(database.url)
own.engine.start()

const measured: number[] = []
let lived = 0
for (const tasks of toScale(process.argv).memoryTasks) {
  await ratePerSecond(tasks - lived, 256, own.live)
  lived = tasks
  measured.push(process.memoryUsage.rss() / MEBIBYTE)
}
reportFigures(Object.fromEntries(NAMES.map((name, index) => [name, measured[index] ?? null])))
