/** What the values of a column are converted by, found by its name: statements know no tables. */
import type { Column } from "./columns.ts"
import { TABLES } from "./tables.ts"

export type ColumnKind = Pick<Column<never>, "type" | "codec">

const KINDS = new Map(
  Object.values(TABLES).flatMap(({ columns }) => Object.entries<ColumnKind>(columns)),
)

/** The column that a value is compared with, where it has another name than that. */
const COMPARED = new Map([
  ["after", "task"],
  ["belowTask", "task"],
  ["expectedHash", "hash"],
  ["fromRoot", "root"],
  ["fromTask", "task"],
  ["last", "task"],
  ["newest", "hash"],
  ["tasks", "task"],
])

/** By the name of a column: one that is converted is the same in every table, and no sum goes by its name. */
export function findColumnKind(name: string): ColumnKind | undefined {
  return KINDS.get(name)
}

/** By the name of a value. */
export function findValueKind(name: string): ColumnKind | undefined {
  return KINDS.get(COMPARED.get(name) ?? name)
}
