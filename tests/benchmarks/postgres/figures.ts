/**
 * What a benchmark on PostgreSQL hands to its runner: figures by name, null for one that could not
 * be measured here, and to people the words that say why.
 */

export type Figures = Readonly<Record<string, number | null>>

/** One object on standard output, for the runner. */
export function reportFigures(figures: Figures): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}

/** Words for whoever watches; the figures stay alone on standard output. */
export function note(words: string): void {
  process.stderr.write(`${words}\n`)
}

/** A figure a line, the numbers in one column. */
export function toTable(figures: Figures): string {
  const width = Math.max(...Object.keys(figures).map(({ length }) => length))
  return Object.entries(figures)
    .map(([name, value]) => `${name.padEnd(width)}  ${toText(value).padStart(12)}\n`)
    .join("")
}

function toText(value: number | null): string {
  return value === null ? "not measured" : value.toFixed(Math.abs(value) >= 100 ? 0 : 2)
}
