/**
 * Statements, built once with Kysely for one dialect, so that running one costs no query building. Each
 * says in its type which values it takes and which rows it gives, both in core's words: columns are
 * snake_case in SQL alone.
 */
import {
  AliasNode,
  CamelCasePlugin,
  ColumnNode,
  DummyDriver,
  IdentifierNode,
  Kysely,
  ReferenceNode,
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  type Expression,
  type InsertResult,
  type RootOperationNode,
  type SelectionNode,
  type UpdateResult,
} from "kysely"
import type { Codec } from "./columns.ts"
import type { SqlValue, StoreDialect } from "./dialect.ts"
import { findColumnKind, findValueKind, type ColumnKind } from "./column-kinds.ts"
import type { StoreDatabase } from "./tables.ts"

/** A statement that takes `Values` and gives rows of `Row`, or `never` where it only changes some. */
export interface Statement<Row = unknown, Values = never> {
  readonly sql: string
  /** In the order in which `sql` has them. */
  readonly parameters: readonly Conversion[]
  /** Of a row, in their order. */
  readonly columns: readonly Conversion[]
  /** Never there: what the types are inferred from. */
  readonly types?: (values: Values) => Row
}

/** A member of values or rows, and what turns it into what SQL has of it, or back. */
interface Conversion {
  readonly name: string
  readonly convert?: ((value: never) => unknown) | undefined
}

const PLACEHOLDER: unique symbol = Symbol("placeholder")

/** Stands for a value; Kysely takes it for the value. */
interface Placeholder {
  readonly [PLACEHOLDER]: string
  readonly isList: boolean
}

const PLACEHOLDERS: object = new Proxy(
  {},
  { get: (_, name): Placeholder => ({ [PLACEHOLDER]: String(name), isList: false }) },
)

type RowOf<Output> = Output extends DeleteResult | InsertResult | UpdateResult ? never : Output

export interface Compiler {
  readonly db: Kysely<StoreDatabase>
  readonly dialect: StoreDialect
  /** Compiles what `build` makes of placeholders for the values; one may occur more than once. */
  readonly compile: <Values extends object, Output>(
    build: (placeholders: Values) => Compilable<Output>,
  ) => Statement<RowOf<Output>, Values>
  /** The members of a list that is one value, for use behind `in`. */
  readonly members: (list: readonly string[]) => Expression<string>
}

export function createCompiler(dialect: StoreDialect): Compiler {
  const { kysely } = dialect
  const db = new Kysely<StoreDatabase>({
    dialect: {
      createAdapter: () => kysely.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => kysely.createIntrospector(of),
      createQueryCompiler: () => kysely.createQueryCompiler(),
    },
    plugins: [new CamelCasePlugin()],
  })
  return {
    db,
    dialect,
    compile(build) {
      const { sql, parameters, query }: CompiledQuery = build(PLACEHOLDERS as never).compile()
      return {
        sql,
        parameters: parameters.map((placeholder) => toParameter(placeholder, dialect)),
        columns: toColumns(query, dialect),
      }
    },
    members(list) {
      const placeholder = { ...toPlaceholder(list), isList: true }
      return dialect.toMembers(placeholder, isCompact(findValueKind(placeholder[PLACEHOLDER])))
    },
  }
}

/** Statements of one topic, by name; what it gives compiles them. */
export function describeStatements<Statements>(
  build: (compiler: Compiler) => Statements,
): (compiler: Compiler) => Statements {
  return build
}

/**
 * A statement in a database's own SQL: its parameters, which are bound as they are given, and its columns,
 * each in their order.
 */
export function ownStatement<Row, Values>(
  sql: string,
  parameters: readonly (keyof Values & string)[] = [],
  columns: readonly (keyof Row & string)[] = [],
  dialect?: StoreDialect,
): Statement<Row, Values> {
  return {
    sql,
    parameters: parameters.map((name) => ({ name })),
    columns: columns.map((name) => toColumn(name, dialect)),
  }
}

/** The values of a statement's parameters in their order. Throws a RangeError on a missing one. */
export function bind<Values>(
  { sql, parameters }: Statement<unknown, Values>,
  values: NoInfer<Values>,
): SqlValue[] {
  const given = values as Readonly<Record<string, unknown>>
  return parameters.map(({ name, convert }) => {
    const value = given[name]
    if (value === undefined) throw new RangeError(`no value for ${name} in: ${sql}`)
    return toConverted(value, convert) as SqlValue
  })
}

/** Rows of a statement as a database gives them: the values of each in the order of its columns. */
export type RawRows = readonly (readonly unknown[])[]

export function toRows<Row>({ columns }: Statement<Row>, rows: RawRows): Row[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (const [index, { name, convert }] of columns.entries()) {
      row[name] = toConverted(values[index], convert)
    }
    return row as Row
  })
}

function toParameter(value: unknown, dialect: StoreDialect): Conversion {
  const { [PLACEHOLDER]: name, isList } = toPlaceholder(value)
  const kind = findValueKind(name)
  if (!isList) return { name, convert: findCodec(kind, dialect)?.toSql }
  return { name, convert: (texts: string[]) => dialect.toList(texts, isCompact(kind)) }
}

function toColumn(name: string, dialect?: StoreDialect): Conversion {
  return { name, convert: findCodec(findColumnKind(name), dialect)?.fromSql }
}

function findCodec(kind: ColumnKind | undefined, dialect?: StoreDialect): Codec | undefined {
  return isCompact(kind) ? dialect?.compact : kind?.codec
}

function isCompact(kind: ColumnKind | undefined): boolean {
  return kind?.type === "compact"
}

function toConverted(value: unknown, convert: Conversion["convert"]): unknown {
  return convert === undefined || value === null ? value : convert(value as never)
}

function toPlaceholder(value: unknown): Placeholder {
  if (typeof value === "object" && value !== null && PLACEHOLDER in value)
    return value as Placeholder
  throw new TypeError("a compiled statement holds a value: take it from the placeholders")
}

function toColumns(query: RootOperationNode, dialect: StoreDialect): readonly Conversion[] {
  const selections = "selections" in query ? query.selections : undefined
  const returned = "returning" in query ? query.returning?.selections : undefined
  return (selections ?? returned ?? []).map(({ selection }) =>
    toColumn(toMember(toName(selection)), dialect),
  )
}

function toName(selection: SelectionNode["selection"]): string {
  const named = AliasNode.is(selection) ? selection.alias : selection
  const column = ReferenceNode.is(named) ? named.column : named
  const identifier = ColumnNode.is(column) ? column.column : column
  if (IdentifierNode.is(identifier)) return identifier.name
  throw new TypeError("a compiled statement selects a column without a name: name each of them")
}

function toMember(column: string): string {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
