/** Sizes for people, in the largest unit of which there is one. */
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** `1.5 GiB`, `512 B`. */
export function formatSize(bytes: number): string {
  const place = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const amount = bytes / 1024 ** place
  return `${place === 0 || amount >= 100 ? Math.floor(amount) : amount.toFixed(1)} ${UNITS[place]}`
}
