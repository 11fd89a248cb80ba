/** The fields of a row of the log in which a live row differs. Values of rows are texts, numbers and flags. */
export function listDiffering<Row extends object>(
  expected: Row,
  found: Row,
): (keyof Row & string)[] {
  const fields = Object.keys(expected) as (keyof Row & string)[]
  return fields.filter((field) => expected[field] !== found[field])
}
