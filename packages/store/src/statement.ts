/**
 * Statements built once with Kysely and compiled to SQL with the order of their parameters, so
 * that running one costs no query building. A member of `placeholders` stands for a value
 * that `bind` fills in later; one may occur more than once.
 */
import { DummyDriver, Kysely, type Compilable } from "kysely"
import type { StoreDatabase } from "./database.ts"
import type { StoreDialect } from "./dialect.ts"

const NAME: unique symbol = Symbol("parameter")

interface Parameter {
  readonly [NAME]: string
}

export type SqlValue = string | number | null

/** Values by parameter name. */
export type SqlValues = Readonly<Record<string, SqlValue>>

export interface Statement {
  readonly sql: string
  /** Names of the parameters, in the order of their places in `sql`. */
  readonly parameters: readonly string[]
}

/** Builds queries of the store; it has no connection and runs nothing. */
export function createQueryBuilder({ kysely }: StoreDialect): Kysely<StoreDatabase> {
  return new Kysely<StoreDatabase>({
    dialect: {
      createAdapter: () => kysely.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => kysely.createIntrospector(db),
      createQueryCompiler: () => kysely.createQueryCompiler(),
    },
  })
}

/** Places of values that are known when the statement runs; Kysely takes them for the values. */
export function placeholders<Values extends object>(
  ...names: readonly (keyof Values & string)[]
): Values {
  const places = names.map((name): [string, Parameter] => [name, { [NAME]: name }])
  return Object.fromEntries(places) as Values
}

export function compile(query: Compilable): Statement {
  const { sql, parameters } = query.compile()
  return { sql, parameters: parameters.map(toName) }
}

/** The values of a statement's parameters in their order. Throws a RangeError on a missing one. */
export function bind({ sql, parameters }: Statement, values: SqlValues): SqlValue[] {
  return parameters.map((name) => {
    const value = values[name]
    if (value === undefined) throw new RangeError(`no value for ${name} in: ${sql}`)
    return value
  })
}

function toName(value: unknown): string {
  if (isParameter(value)) return value[NAME]
  throw new TypeError("a compiled statement holds a value: name it with placeholders()")
}

function isParameter(value: unknown): value is Parameter {
  return typeof value === "object" && value !== null && NAME in value
}
