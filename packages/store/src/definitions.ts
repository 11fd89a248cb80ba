/** Definitions of models and prices: a table that is only added to. */
import type { Definition, DefinitionStorage } from "@safelight/core"
import { toStep, type Connections } from "./sql/driver.ts"
import { describeStatements, type Compiler } from "./sql/statement.ts"
import { allOf, TABLES } from "./sql/tables.ts"

export const DEFINITION_STATEMENTS = describeStatements(({ db, compile }) => ({
  /** Changes no row where the definition is kept already. */
  keepDefinition: compile((definition: Definition) =>
    db
      .insertInto("definitions")
      .values(allOf(TABLES.definitions, definition))
      .onConflict((conflict) => conflict.column("digest").doNothing()),
  ),
  findDefinition: compile(({ digest }: Pick<Definition, "digest">) =>
    db.selectFrom("definitions").select(TABLES.definitions.members).where("digest", "=", digest),
  ),
  listDefinitions: compile(({ kind }: Pick<Definition, "kind">) =>
    db
      .selectFrom("definitions")
      .select(TABLES.definitions.members)
      .where("kind", "=", kind)
      .orderBy("digest"),
  ),
}))

export function createDefinitionMethods(
  { commit, read }: Connections,
  compiler: Compiler,
): DefinitionStorage {
  const { findDefinition, keepDefinition, listDefinitions } = DEFINITION_STATEMENTS(compiler)
  return {
    async keepDefinitions(definitions) {
      if (definitions.length === 0) return
      await commit({ steps: definitions.map((each) => toStep(keepDefinition, each)) })
    },
    findDefinition: async (digest) => (await read(findDefinition, { digest }))[0],
    listDefinitions: (kind) => read(listDefinitions, { kind }),
  }
}
