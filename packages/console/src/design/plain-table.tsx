/**
 * A small table, drawn as a whole: for what has tens of rows. One that is wider than its place scrolls there, so the
 * page itself never does.
 */
import type { ComponentChildren, JSX } from "preact"
import "./plain-table.css"

export interface PlainRow {
  readonly id: string
  /** One for each title; the first names the row. */
  readonly cells: readonly ComponentChildren[]
}

export interface PlainTableProps {
  /** For screen readers. */
  readonly label: string
  readonly titles: readonly string[]
  readonly rows: readonly PlainRow[]
}

export function PlainTable({ label, titles, rows }: PlainTableProps): JSX.Element {
  return (
    <div class="plain-table-place" role="region" aria-label={label} tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells: [name, ...values] }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              {values.map((value, index) => (
                <td key={titles[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
