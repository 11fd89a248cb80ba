/** What a statement of the store is for, by the name that the store gives it. */
import { SQLITE_DIALECT } from "@safelight/storage-sqlite"
import { createCompiler, STATEMENTS, type Change, type Statement } from "@safelight/store"

const NAMES = listNames()

/** `group.name` of the store's list; of the two that are compiled for each shape, `take` and `peek`. */
export function toKind({ sql }: Pick<Statement, "sql">): string {
  const known = NAMES.get(sql)
  if (known !== undefined) return known
  if (sql.includes('"takeable"')) return "peek"
  return sql.startsWith('with "candidates"') ? "take" : sql.slice(0, 40)
}

/** Whether it adds events to the log. */
export function isOfAppend({ steps: [first] }: Change): boolean {
  const kind = first && toKind(first.statement)
  return kind === "append.insertTask" || kind === "append.updateTask"
}

function listNames(): ReadonlyMap<string, string> {
  const groups = Object.entries(STATEMENTS(createCompiler(SQLITE_DIALECT)))
  return new Map(
    groups.flatMap(([group, statements]) =>
      Object.entries(statements).flatMap(([name, statement]) =>
        isStatement(statement) ? [[statement.sql, `${group}.${name}`] as const] : [],
      ),
    ),
  )
}

function isStatement(value: unknown): value is Statement {
  return typeof value === "object" && value !== null && "sql" in value
}
