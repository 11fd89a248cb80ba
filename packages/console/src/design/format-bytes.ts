/** A number of bytes in the unit that people read it in. */

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1)
  const unit = UNITS[power] ?? "byte"
  const format = { style: "unit", unit, maximumFractionDigits: power === 0 ? 0 : 1 } as const
  return new Intl.NumberFormat("en-US", format).format(bytes / 1_000 ** power)
}
