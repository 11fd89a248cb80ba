/**
 * `pooler_ratio`: submissions through a PgBouncer that works by transaction over those to the same server directly, in
 * turns, with 64 callers. It is set as the storage's page says. Null where there is no PgBouncer.
 */
import { skipWithoutPgbouncer, startPgbouncer } from "../../support/pgbouncer.ts"
import { createDatabase, SERVER_URL } from "./database.ts"
import { note, reportFigures } from "./figures.ts"
import { openOwn } from "./own.ts"
import { medianOf, race, ratioOf } from "./race.ts"
import { toScale, type Scale } from "./scale.ts"

const CALLERS = 64

/** Of the page, but for those that a single program makes no use of. */
const SETTINGS = { pkt_buf: 65_536 }

const lack = skipWithoutPgbouncer()
if (lack === false) await measure()
else {
  note(`pooler_ratio is not measured: ${lack}`)
  reportFigures({ pooler_per_s: null, pooler_ratio: null })
}

/** Of two that differ little, many short pairs say more than a few long ones. */
function toPairs(scale: Scale): Scale {
  return { ...scale, rounds: scale.rounds * 4, roundMs: scale.roundMs / 3 }
}

async function measure(): Promise<void> {
  await using directDatabase = await createDatabase("direct")
  await using pooledDatabase = await createDatabase("pooled")
  await using pooler = await startPgbouncer(process.env[SERVER_URL] ?? "", { settings: SETTINGS })
  await using direct = await openOwn(directDatabase.url)
  await using pooled = await openOwn(pooler.through(pooledDatabase.url))
  const rounds = await race({
    contenders: { direct: { work: direct.submit }, pooled: { work: pooled.submit } },
    inFlight: CALLERS,
    scale: toPairs(toScale(process.argv)),
    database: directDatabase,
  })
  reportFigures({
    pooler_per_s: medianOf(rounds, "pooled"),
    pooler_ratio: ratioOf(rounds, "pooled", "direct"),
  })
}
