/**
 * A plot over time, drawn by uPlot on a canvas. A canvas says nothing to screen readers, so the page shows the same
 * numbers as a table beside it; the plot itself has a label alone.
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
  /** Bars for what was counted in a span, lines for what was measured at a moment. */
  readonly kind: "bars" | "lines"
  readonly format: (value: number) => string
  readonly heightPx?: number
}

const AXIS_PX = 64

export function Plot(props: PlotProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  // Colours are read from the style sheet, so another theme is another plot.
  const { value: shownTheme } = theme
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const data: AlignedData = [
      [...props.atSeconds],
      ...props.series.map(({ values }) => [...values]),
    ]
    const plot = new UPlot(toOptions(props, current), data, current)
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: current.clientWidth, height: plot.height })
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [props.atSeconds, props.series, shownTheme])
  return <div ref={place} class="plot" role="img" aria-label={props.label} />
}

function toOptions(props: PlotProps, place: Element): Options {
  const { series, kind, format, heightPx = 220 } = props
  const [first = 0, second = first] = props.atSeconds
  // The first and the last bar stand on the edge: each needs half of its width beyond it.
  const spareSeconds = kind === "bars" ? (second - first) / 2 : 0
  const style = getComputedStyle(place)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: read("--text-soft"),
    grid: { stroke: read("--line"), width: 1 },
    ticks: { stroke: read("--line"), width: 1 },
    font: `12px ${read("--sans")}`,
  }
  return {
    width: place.clientWidth,
    height: heightPx,
    legend: { show: series.length > 1 },
    cursor: { y: false },
    scales: {
      x: { range: (_, min, max) => [min - spareSeconds, max + spareSeconds] },
      y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] },
    },
    axes: [axis, { ...axis, size: AXIS_PX, values: (_, values) => values.map(format) }],
    series: [{}, ...series.map((each) => toSeries(each, kind, read(each.color), format))],
  }
}

function toSeries(
  { title }: PlotSeries,
  kind: PlotProps["kind"],
  color: string,
  format: (value: number) => string,
): Series {
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  return {
    label: title,
    stroke: color,
    width: kind === "bars" ? 0 : 2,
    fill: kind === "bars" ? color : `${color}22`,
    points: { show: false },
    value: (_, value) => (value === null ? "–" : format(value)),
    ...(kind === "bars" && bars !== undefined && { paths: bars }),
  }
}
