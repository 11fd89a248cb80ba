/** The sizes of a benchmark: each has a flag of its own name, and a small default with `--quick`. */
import { parseArgs } from "node:util"

export interface Size {
  readonly full: number
  readonly quick: number
}

export function readSizes<Name extends string>(
  sizes: Readonly<Record<Name, Size>>,
): Readonly<Record<Name, number>> {
  const names = Object.keys(sizes) as Name[]
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]))
  // The other benchmarks' flags come along.
  const { values } = parseArgs({
    strict: false,
    options: { ...options, quick: { type: "boolean", default: false } },
  })
  const entries = names.map((name) => {
    const given = values[name]
    const size = Number(given ?? (values["quick"] === true ? sizes[name].quick : sizes[name].full))
    if (!Number.isSafeInteger(size) || size < 1) throw new Error(`--${name} must be a whole number`)
    return [name, size] as const
  })
  return Object.fromEntries(entries) as Record<Name, number>
}
