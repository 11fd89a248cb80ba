/**
 * The record of where the database stands, read and replaced as long as it is the one that was read,
 * and the secret of its last adoption.
 */
import type { Kysely } from "kysely"
import type { DeploymentSecretsTable, DeploymentTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface DeploymentStatements {
  readonly find: Statement
  /** Changes no row where the record is not of revision `replaced`; 0: where there is one. */
  readonly record: Statement
  /** secret: of the last adoption; no row where none was made since. */
  readonly findSecret: Statement
  /** Leaves a secret that is there already. */
  readonly insertSecret: Statement
  /** Removes those of earlier adoptions. */
  readonly pruneSecrets: Statement
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
    ...compileSecretStatements(db),
  }
}

type SecretStatement = "findSecret" | "insertSecret" | "pruneSecrets"

const { secret } = placeholders<DeploymentSecretsTable>("secret")

function compileSecretStatements(
  db: Kysely<StoreDatabase>,
): Pick<DeploymentStatements, SecretStatement> {
  const recorded = db.selectFrom("deployment").select("deployment.adopted_at")
  const adoption = db.selectNoFrom((of) => of.fn.coalesce(recorded, of.lit(0)).as("adopted_at"))
  return {
    findSecret: compile(
      db.selectFrom("deployment_secrets").select("secret").where("adopted_at", "=", adoption),
    ),
    insertSecret: compile(
      db
        .insertInto("deployment_secrets")
        .values({ adopted_at: adoption, secret })
        .onConflict((conflict) => conflict.column("adopted_at").doNothing()),
    ),
    pruneSecrets: compile(db.deleteFrom("deployment_secrets").where("adopted_at", "<>", adoption)),
  }
}
