/**
 * A plot over time, drawn by uPlot on a canvas. A canvas says nothing to screen readers, so the page shows the same
 * numbers as a table next to it; the plot itself has a label alone. New numbers are drawn into the plot that is there.
 */
import type { JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import UPlot, { type AlignedData, type Options, type Series } from "uplot"
import "uplot/dist/uPlot.min.css"
import { theme } from "./theme.ts"
import "./plot.css"

export interface PlotSeries {
  readonly title: string
  /** One for each moment; null where nothing is known. */
  readonly values: readonly (number | null)[]
  /** A name of `tokens.css`: `--accent`. */
  readonly color: string
}

export interface PlotProps {
  readonly label: string
  /** Unix seconds, rising. */
  readonly atSeconds: readonly number[]
  readonly series: readonly PlotSeries[]
  /** Bars for what was counted in a span, stacks for parts of such a count, lines for what was measured at a moment. */
  readonly kind: "bars" | "stacks" | "lines"
  readonly format: (value: number) => string
  readonly heightPx?: number
  /** Days of UTC are shown as such; otherwise times are the reader's. */
  readonly isUtc?: boolean
}

const AXIS_PX = 64

export function Plot(props: PlotProps): JSX.Element {
  const { atSeconds, heightPx = 220, kind, label, series } = props
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<UPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const titles = series.map(({ title }) => title).join()
  // Colours are read from the style sheet, so another theme is another plot.
  const { value: shownTheme } = theme
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const plot = new UPlot(toOptions(latest, current), toData(latest.current), current)
    drawn.current = plot
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: current.clientWidth, height: plot.height })
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
      drawn.current = undefined
    }
  }, [titles, kind, heightPx, shownTheme])
  useEffect(() => drawn.current?.setData(toData(latest.current)), [atSeconds, series])
  const style = { minHeight: `${heightPx}px` }
  return <div ref={place} class="plot" role="img" aria-label={label} style={style} />
}

interface Latest {
  readonly current: PlotProps
}

/** A stack's parts stand on each other: the first below. uPlot draws the first series first, so the tallest leads. */
function toData({ atSeconds, kind, series }: PlotProps): AlignedData {
  const values = series.map((each) => [...each.values])
  if (kind !== "stacks") return [[...atSeconds], ...values]
  const sums = values.map((_, part) =>
    atSeconds.map((__, at) =>
      values.slice(0, part + 1).reduce((sum, each) => sum + (each[at] ?? 0), 0),
    ),
  )
  return [[...atSeconds], ...sums.toReversed()]
}

function toOptions(latest: Latest, place: Element): Options {
  const { heightPx = 220, isUtc = false, kind, series } = latest.current
  const style = getComputedStyle(place)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: read("--text-soft"),
    grid: { stroke: read("--line"), width: 1 },
    ticks: { stroke: read("--line"), width: 1 },
    font: `12px ${read("--sans")}`,
  }
  const format = (value: number): string => latest.current.format(value)
  const order = kind === "stacks" ? series.toReversed() : series
  const drawn = order.map(({ color, title }) => ({
    ...toStyle(kind, read(color)),
    label: title,
    value: (_: UPlot, __: number, ___: number, at: number | null) =>
      toWords(latest.current, title, at),
  }))
  return {
    width: place.clientWidth,
    height: heightPx,
    legend: { show: series.length > 1 },
    cursor: { y: false },
    scales: {
      // The first and the last bar stand on the edge: each needs half of its width beyond it.
      x: {
        range: ({ data: [[first = 0, second = first]] }, min, max) => {
          const spareSeconds = kind === "lines" ? 0 : (second - first) / 2
          return [min - spareSeconds, max + spareSeconds]
        },
      },
      y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] },
    },
    axes: [axis, { ...axis, size: AXIS_PX, values: (_, values) => values.map(format) }],
    series: [{}, ...drawn],
    ...(isUtc && { tzDate: (atSeconds) => UPlot.tzDate(new Date(atSeconds * 1_000), "Etc/UTC") }),
  }
}

function toWords({ format, series }: PlotProps, title: string, at: number | null): string {
  const value = at === null ? null : series.find((each) => each.title === title)?.values[at]
  return value === null || value === undefined ? "–" : format(value)
}

function toStyle(kind: PlotProps["kind"], color: string): Series {
  if (kind === "lines") {
    // One measurement between unknown ones is no line: its point shows it.
    return { stroke: color, width: 2, points: { show: true, size: 5, fill: color } }
  }
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  return {
    stroke: color,
    width: 0,
    fill: color,
    points: { show: false },
    ...(bars !== undefined && { paths: bars }),
  }
}
