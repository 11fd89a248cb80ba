/** Moments in the reader's locale: "3 minutes ago" with the whole date at hand, or the exact time of an event. */
import { signal } from "@preact/signals"
import type { JSX } from "preact"

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const exact = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
})

const STEPS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const

/** One clock for every moment on the page. */
const now = signal(Date.now())
setInterval(() => (now.value = Date.now()), 10_000)

export function Moment({ atMs }: { readonly atMs: number }): JSX.Element {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={whole.format(atMs)}>
      {formatRelative(atMs, now.value)}
    </time>
  )
}

export function ExactMoment({ atMs }: { readonly atMs: number }): JSX.Element {
  return (
    <time class="number" dateTime={new Date(atMs).toISOString()} title={whole.format(atMs)}>
      {exact.format(atMs)}
    </time>
  )
}

export function formatRelative(atMs: number, nowMs: number): string {
  const difference = atMs - nowMs
  const [unit, size] = STEPS.find(([, each]) => Math.abs(difference) >= each) ?? []
  if (unit !== undefined) return relative.format(Math.trunc(difference / size), unit)
  return Math.abs(difference) < 15_000
    ? relative.format(0, "second")
    : relative.format(Math.trunc(difference / 10_000) * 10, "second")
}

/** "1.4 s", "3 min 20 s". */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) {
    return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: durationMs < 10_000 ? 2 : 1 }).format(durationMs / 1000)} s`
  }
  const minutes = Math.floor(durationMs / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((durationMs % 60_000) / 1000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
