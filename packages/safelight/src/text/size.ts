/** Sizes of files: for people in the largest unit of which there is one, and as they are typed. */
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const

/** `1.5 GiB`, `512 B`. */
export function formatSize(bytes: number): string {
  const place = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const amount = bytes / 1024 ** place
  return `${place === 0 || amount >= 100 ? Math.floor(amount) : amount.toFixed(1)} ${UNITS[place]}`
}

const TYPED_UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

/** Whole bytes, at least one, of a text such as `20MB`, `1.5GB` or `512KiB`; undefined if it is no size. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)([kKMG]?i?B)$/.exec(text) ?? []
  const bytes = Math.floor(Number(amount) * (TYPED_UNITS[unit] ?? Number.NaN))
  return bytes >= 1 ? bytes : undefined
}
