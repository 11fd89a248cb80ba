/** Rows of text as aligned columns, for people: scripts have `--json`. */
import { formatOneLine } from "./one-line.ts"

export interface TableOptions {
  /** Columns of numbers, which are aligned right. */
  readonly numeric?: readonly number[]
}

/** Ends in a line break; empty if there are no rows. */
export function formatTable(
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { numeric = [] } = options
  const clean = rows.map((row) => row.map(formatOneLine))
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  )
  return clean.map((row) => `${row.map(pad).join("  ").trimEnd()}\n`).join("")

  function pad(cell: string, column: number): string {
    const width = widths[column] ?? 0
    return numeric.includes(column) ? cell.padStart(width) : cell.padEnd(width)
  }
}
