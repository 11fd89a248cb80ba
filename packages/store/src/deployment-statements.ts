/** The record of where the database stands: read, and replaced as long as it is the one that was read. */
import type { Kysely } from "kysely"
import type { DeploymentTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface DeploymentStatements {
  readonly find: Statement
  /** Changes no row where the record is not of revision `replaced`; 0: where there is one. */
  readonly record: Statement
}

const RECORD = placeholders<DeploymentTable & { replaced: number }>(
  "id",
  "revision",
  "origin",
  "artifacts_mark",
  "adopted_at",
  "replaced",
)

export function compileDeploymentStatements(db: Kysely<StoreDatabase>): DeploymentStatements {
  const { id, replaced, ...columns } = RECORD
  return {
    find: compile(db.selectFrom("deployment").selectAll()),
    record: compile(
      db
        .insertInto("deployment")
        .values({ id, ...columns })
        .onConflict((conflict) =>
          conflict.column("id").doUpdateSet(columns).where("deployment.revision", "=", replaced),
        ),
    ),
  }
}
