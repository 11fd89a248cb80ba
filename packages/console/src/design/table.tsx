/**
 * A table of any length: only the rows in sight are drawn, all of one height. One row can be reached by Tab; from there
 * the arrow keys, Page Up, Page Down, Home and End move on. The page scrolls, not the table.
 */
import { useSignal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { isNarrow } from "./narrow.ts"
import { useRowsInSight } from "./rows-in-sight.ts"
import "./table.css"

export interface Column<Row> {
  readonly title: string
  /** A track of a CSS grid. */
  readonly width: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
}

export interface TableProps<Row> {
  /** For screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  /** The first is the row's link. */
  readonly columns: readonly Column<Row>[]
  readonly toKey: (row: Row) => string
  readonly toHref: (row: Row) => string
  /** The end is near: more rows may be loaded. */
  readonly onEnd?: (() => void) | undefined
}

const WIDE_ROW_PX = 44
const NARROW_ROW_PX = 72
const PAGE_ROWS = 12

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, rows, columns, onEnd } = props
  const body = useRef<HTMLDivElement>(null)
  const rowPx = isNarrow.value ? NARROW_ROW_PX : WIDE_ROW_PX
  const { first, last } = useRowsInSight(body, rows.length, rowPx)
  const active = useSignal(0)
  const shownActive = Math.min(active.value, rows.length - 1)

  useEffect(() => {
    if (last >= rows.length - 1) onEnd?.()
  }, [last, rows.length, onEnd])

  const move = (event: KeyboardEvent): void => {
    const to = toRow(event.key, shownActive, rows.length)
    if (to === undefined || body.current === null) return
    event.preventDefault()
    active.value = to
    scrollToRow(body.current, to * rowPx, rowPx)
    // The row is drawn after the scrolling.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>(`[data-row="${to}"] a`)?.focus({
          preventScroll: true,
        }),
      ),
    )
  }

  const drawn = rows.slice(first, last + 1)
  // The active row can be reached by Tab although it is out of sight: then the first in sight stands in.
  const reachable = shownActive >= first && shownActive <= last ? shownActive : first
  const template = columns.map(({ width }) => width).join(" ")
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <TableHead columns={columns} template={template} />
      <div
        ref={body}
        role="rowgroup"
        class="table-body"
        style={{ height: `${rows.length * rowPx}px` }}
        onKeyDown={move}
      >
        {drawn.map((row, index) => (
          <TableRow
            key={props.toKey(row)}
            table={props}
            row={row}
            index={first + index}
            template={template}
            topPx={(first + index) * rowPx}
            isReachable={first + index === reachable}
            onFocus={() => (active.value = first + index)}
          />
        ))}
      </div>
    </div>
  )
}

interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly template: string
}

function TableHead<Row>({ columns, template }: TableHeadProps<Row>): JSX.Element {
  return (
    <div class="table-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {columns.map(({ title, isNumber }) => (
        <span key={title} role="columnheader" class={isNumber === true ? "table-number" : ""}>
          {title}
        </span>
      ))}
    </div>
  )
}

interface TableRowProps<Row> {
  readonly table: TableProps<Row>
  readonly row: Row
  readonly index: number
  readonly template: string
  readonly topPx: number
  readonly isReachable: boolean
  readonly onFocus: () => void
}

function TableRow<Row>(props: TableRowProps<Row>): JSX.Element {
  const { table, row, index, template, topPx, isReachable, onFocus } = props
  return (
    <div
      role="row"
      class="table-row"
      aria-rowindex={index + 2}
      data-row={index}
      style={{ gridTemplateColumns: template, transform: `translateY(${topPx}px)` }}
      onFocusCapture={onFocus}
    >
      {table.columns.map(({ title, cell, isNumber }, at) => (
        <span key={title} role="cell" class={isNumber === true ? "table-number" : ""}>
          {at === 0 ? (
            <a class="table-link" href={table.toHref(row)} tabIndex={isReachable ? 0 : -1}>
              {cell(row)}
            </a>
          ) : (
            cell(row)
          )}
        </span>
      ))}
    </div>
  )
}

function toRow(key: string, from: number, count: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + PAGE_ROWS,
    PageUp: from - PAGE_ROWS,
    Home: 0,
    End: count - 1,
  }
  const to = moves[key]
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to))
}

function scrollToRow(body: HTMLElement, topPx: number, rowPx: number): void {
  const top = body.getBoundingClientRect().top + topPx
  if (top < rowPx * 2) scrollBy(0, top - rowPx * 2)
  else if (top + rowPx > innerHeight) scrollBy(0, top + rowPx - innerHeight + rowPx / 2)
}
