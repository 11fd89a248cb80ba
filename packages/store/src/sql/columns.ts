/** The kinds of columns that tables are described with, and the form of their values in SQL. */

/** Converts a value that is not null to its form in SQL, and back. */
export interface Codec {
  readonly toSql: (value: never) => string | number | null
  readonly fromSql: (value: never) => unknown
}

export interface Column<Value> {
  /** `compact`: a text that nearly always is a UUID or a SHA-256, of which a database may keep the bytes. */
  readonly type: "text" | "integer" | "compact"
  readonly isNullable: boolean
  readonly codec?: Codec
  /** Never present: carries the type. */
  readonly holds?: (value: Value) => Value
}

export interface Table<Row> {
  readonly members: readonly (keyof Row & string)[]
  readonly columns: { readonly [Member in keyof Row]-?: Column<Row[Member]> }
}

export const text = <Value extends string>(): Column<Value> => ({ type: "text", isNullable: false })
export const compact = (): Column<string> => ({ type: "compact", isNullable: false })
export const integer = (): Column<number> => ({ type: "integer", isNullable: false })
export const nullable = <Value>(column: Column<Value>): Column<Value | null> => {
  const { type } = column
  return { type, isNullable: true }
}

/** 0 or 1. */
export const boolean = (): Column<boolean> => ({
  type: "integer",
  isNullable: false,
  codec: { toSql: (value: boolean) => Number(value), fromSql: (value: number) => value !== 0 },
})

export const json = <Value>(): Column<Value> => ({
  type: "text",
  isNullable: false,
  codec: {
    toSql: (value: Value) => JSON.stringify(value),
    fromSql: (value: string) => JSON.parse(value) as unknown,
  },
})

/** Kept as base64: every database has text. */
export const bytes = (): Column<Uint8Array> => ({
  type: "text",
  isNullable: false,
  codec: {
    toSql: (value: Uint8Array) => Buffer.from(value).toString("base64"),
    fromSql: (value: string) => new Uint8Array(Buffer.from(value, "base64")),
  },
})

export function describe<Row>(columns: Table<Row>["columns"]): Table<Row> {
  return { columns, members: Object.keys(columns) as (keyof Row & string)[] }
}
