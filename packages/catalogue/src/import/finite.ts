/** A number of JSON, which has no infinite ones but those that are too large. */
export function isFinite(value: unknown): value is number {
  return Number.isFinite(value)
}
