/**
 * The schema in which the outcomes of an hour that is over are summed once. An outcome that is added to such an hour
 * later, by whatever release, has it summed again. Frozen, as `initial-schema.ts` is.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

const HOUR_MS = 3_600_000

export async function createOutcomeSums(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { integerType: integer, keyedTable, nameType: name } = dialect
  const tables = [
    `create table summed_hours (
      hour ${integer} not null, summing ${integer} not null, primary key (hour)
    ) ${keyedTable}`,
    `create table outcome_sums (
      hour ${integer} not null, succeeded ${integer} not null, failed ${integer} not null,
      deferred ${integer} not null, charge_micros ${integer} not null, told_micros ${integer} not null,
      computed_micros ${integer} not null, unknown ${integer} not null, succeeded_ms ${integer} not null,
      longest_ms ${integer} not null, p50_ms ${integer}, p95_ms ${integer}, channel ${name} not null,
      model ${name} not null, primary key (hour, channel, model)
    ) ${keyedTable}`,
  ]
  const forget = dialect.deleteAtInserts({
    into: "outcomes",
    from: "summed_hours",
    key: "hour",
    // Whole numbers are divided without a remainder.
    value: (row) => `${row}.at / ${HOUR_MS}`,
  })
  for (const statement of [...tables.map((each) => sql.raw(each)), ...forget]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await statement.execute(db)
  }
}
