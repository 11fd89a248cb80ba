/**
 * Where the database runs, as it is recorded in itself, and the secret of its last adoption. An origin has named
 * parts, and an unknown part is not compared: otherwise a database that once can't read one of them would
 * count as copied.
 */
import assert from "node:assert/strict"
import type {
  DatabaseStanding,
  Deployment,
  DeploymentRecord,
  DeploymentStorage,
} from "@safelight/core"
import { toStep, type Database, type Step } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { TABLES, type DatabaseOrigin, type DeploymentRow } from "./sql/tables.ts"

/** The `adoptedAt` of the sealing secret: no adoption was made before the epoch. */
const SEALING = -1

export const DEPLOYMENT_STATEMENTS = describeStatements(({ db, compile }) => {
  const recorded = db.selectFrom("deployment").select("deployment.adoptedAt")
  const adoption = db.selectNoFrom((of) => of.fn.coalesce(recorded, of.lit(0)).as("adoptedAt"))
  return {
    find: compile(() => db.selectFrom("deployment").select(TABLES.deployment.members)),
    /** Changes no row unless the record is of revision `replaced`; 0: unless there is none. */
    record: compile((row: DeploymentRow & { readonly replaced: number }) => {
      const { revision, origin, artifactsMark, adoptedAt } = row
      const columns = { revision, origin, artifactsMark, adoptedAt }
      return db
        .insertInto("deployment")
        .values({ id: row.id, ...columns })
        .onConflict((conflict) =>
          conflict
            .column("id")
            .doUpdateSet(columns)
            .where("deployment.revision", "=", row.replaced),
        )
    }),
    /** The secret of the last adoption; no row if none was made since. */
    findSecret: compile(() =>
      db.selectFrom("deploymentSecrets").select("secret").where("adoptedAt", "=", adoption),
    ),
    /** Changes nothing if there is a secret. */
    insertSecret: compile(({ secret }: { secret: string }) =>
      db
        .insertInto("deploymentSecrets")
        .values({ adoptedAt: adoption, secret })
        .onConflict((conflict) => conflict.column("adoptedAt").doNothing()),
    ),
    /** Removes those of earlier adoptions. */
    pruneSecrets: compile(() =>
      db
        .deleteFrom("deploymentSecrets")
        .where("adoptedAt", "<>", adoption)
        .where((of) => of("adoptedAt", "<>", of.lit(SEALING))),
    ),
    findSealingSecret: compile(() =>
      db
        .selectFrom("deploymentSecrets")
        .select("secret")
        .where((of) => of("adoptedAt", "=", of.lit(SEALING))),
    ),
    insertSealingSecret: compile(({ secret }: { secret: string }) =>
      db
        .insertInto("deploymentSecrets")
        .values((of) => ({ adoptedAt: of.lit(SEALING), secret }))
        .onConflict((conflict) => conflict.column("adoptedAt").doNothing()),
    ),
  }
})

export function createDeploymentMethods(
  { read, commit, readOrigin }: Database,
  compiler: Compiler,
): DeploymentStorage {
  const statements = DEPLOYMENT_STATEMENTS(compiler)
  type Find = typeof statements.findSecret

  /** The existing secret, or the one of `proposal`, or one that was written meanwhile. */
  async function agree(find: Find, proposal: readonly Step[]): Promise<string> {
    const [made] = await read(find, {})
    if (made !== undefined) return made.secret
    await commit({ steps: proposal })
    const [agreed] = await read(find, {})
    assert.ok(agreed, "a secret that was written is there")
    return agreed.secret
  }

  return {
    async readDeployment() {
      const { certain } = await readOrigin()
      const [row] = await read(statements.find, {})
      return toDeployment(row, certain)
    },
    async recordDeployment(request) {
      const { whole } = await readOrigin()
      const [row] = await read(statements.find, {})
      const step = toStep(statements.record, toRecord(request, whole, row))
      return (await commit({ steps: [step], isGuarded: true })) === true
    },
    agreeOnSecret(proposed) {
      const insert = toStep(statements.insertSecret, { secret: proposed })
      return agree(statements.findSecret, [insert, toStep(statements.pruneSecrets, {})])
    },
    agreeOnSealingSecret(proposed) {
      const insert = toStep(statements.insertSealingSecret, { secret: proposed })
      return agree(statements.findSealingSecret, [insert])
    },
  }
}

function toDeployment(row: DeploymentRow | undefined, origin: DatabaseOrigin): Deployment {
  if (row === undefined) return { standing: "new", revision: 0, artifactsMark: null, adoptedAt: 0 }
  const { revision, artifactsMark, adoptedAt, origin: recorded } = row
  const standing = toStanding(recorded, origin)
  const deployment = { standing, revision, artifactsMark, adoptedAt }
  const hasMore = Object.keys(origin).some((part) => !Object.hasOwn(recorded, part))
  return standing === "original" && hasMore ? { ...deployment, hasMoreToRecord: true } : deployment
}

/**
 * `row` is the one that is replaced: if another was recorded since, the statement changes nothing. An
 * adoption forgets the parts that are not known, since they may be those of the database that was copied.
 */
function toRecord(
  { revision, artifactsMark, adoptedAt }: DeploymentRecord,
  origin: DatabaseOrigin,
  row: DeploymentRow | undefined,
): DeploymentRow & { readonly replaced: number } {
  const known = row?.adoptedAt === adoptedAt ? row.origin : {}
  const next = { id: 1, revision: revision + 1, origin: { ...known, ...origin } }
  return { ...next, artifactsMark, adoptedAt, replaced: revision }
}

function toStanding(recorded: DatabaseOrigin, origin: DatabaseOrigin): DatabaseStanding {
  const isOther = Object.entries(origin).some(
    ([part, value]) => Object.hasOwn(recorded, part) && recorded[part] !== value,
  )
  return isOther ? "copied" : "original"
}
