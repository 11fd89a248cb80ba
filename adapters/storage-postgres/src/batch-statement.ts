/**
 * One statement for a whole batch: a common table expression for each section, and at the end the condition
 * under which all of it may be committed. If that fails (a version has moved on, an account has no room) the
 * statement divides by zero, which undoes it. It does not say which change was at fault: the batch is then
 * judged change by change (judge.ts).
 */
import { toBigintArray, toCompactArray, toTextArray } from "./binary-array.ts"
import { toName, type NamedQuery } from "./named-query.ts"
import {
  SECTION_NAMES,
  SECTIONS,
  type BatchRows,
  type OfSection,
  type SectionColumn,
  type SectionName,
  type ToArray,
} from "./sections.ts"

/** The code of the error that says the condition failed: `division_by_zero`. */
export const CONDITION_FAILED = "22012"

/** By the sections that a statement holds. */
const texts = new Map<string, string>()

export function toBatchStatement(rows: BatchRows): NamedQuery {
  const present = SECTION_NAMES.filter((name) => rows[name] !== undefined)
  const values: unknown[] = present.flatMap((name) => {
    const ofSection: readonly object[] = rows[name] ?? []
    return SECTIONS[name].columns.map((column) => toArray(column, ofSection))
  })
  values.push(rows.moved?.length ?? 0)
  const text = compileFor(present)
  return { name: toName(text, "commit"), text, values }
}

function compileFor(present: readonly SectionName[]): string {
  const set = present.join(" ")
  const known = texts.get(set) ?? toText(present)
  texts.set(set, known)
  return known
}

function toText(present: readonly SectionName[]): string {
  let parameters = 0
  const conditions: string[] = []
  const bySection = new Map<string, ToArray>()
  const ofSection: OfSection = (name) => {
    const arrays = bySection.get(name)
    if (arrays === undefined) throw new RangeError(`there is no section ${name} before`)
    return arrays
  }
  const parts = present.map((name) => {
    const { columns, toSql } = SECTIONS[name]
    const arrays = new Map(
      columns.map(({ name: column, type }) => {
        parameters += 1
        return [column, `$${parameters}::${ARRAY_TYPES[type]}`]
      }),
    )
    bySection.set(name, toArrayOf(arrays))
    const names = columns.map(({ name: column }) => `"${column}"`)
    const source = `unnest(${[...arrays.values()].join(", ")}) as x(${names.join(", ")})`
    if (name === "totals") conditions.push(toRoomCondition(source, arrays.get("account") ?? ""))
    return `${name} as (${toSql(source, ofSection(name), ofSection)})`
  })
  const moved = present.includes("moved") ? "(select count(*) from moved)" : "0"
  conditions.push(`${moved} = $${parameters + 1}::bigint`)
  const condition = conditions.join(" and ")
  return `with ${parts.join(",\n")}\nselect 1 / (case when ${condition} then 1 else 0 end)`
}

function toArrayOf(arrays: ReadonlyMap<string, string>): ToArray {
  return (column) => {
    const array = arrays.get(column)
    if (array === undefined) throw new RangeError(`there is no array of ${column}`)
    return array
  }
}

/**
 * Every account with a limit has room for what is admitted. An account without totals, which only damage
 * causes, has none.
 */
function toRoomCondition(totals: string, accounts: string): string {
  return `(select count(*) from totals where admitted_tasks > 0) = (
  select count(*) from ${totals} join accounts as c on c.id = any(${accounts}) and c.id = x.account
  where x.admitted_tasks > 0 and (c.budget_micros is not null or c.unfinished_tasks is not null))`
}

const ARRAY_TYPES = { text: "text[]", integer: "bigint[]", compact: "bytea[]" } as const

const TO_ARRAY = { text: toTextArray, integer: toBigintArray, compact: toCompactArray } as const

/** Throws a RangeError where a row lacks the member. */
function toArray({ member, type, codec }: SectionColumn, rows: readonly object[]): Buffer {
  const values = rows.map((row) => {
    const value = (row as Readonly<Record<string, unknown>>)[member]
    if (value === undefined) throw new RangeError(`no value for ${member} in a row of a batch`)
    return codec === undefined ? value : codec.toSql(value as never)
  })
  return TO_ARRAY[type](values as never)
}
