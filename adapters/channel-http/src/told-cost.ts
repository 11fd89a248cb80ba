/**
 * What a provider says it charged, out of its answers. Whether it is an amount at all is the engine's to
 * judge, which says so in the log; here only what is no number is no cost.
 */
import type { Json, ProviderCost } from "@safelight/core"

/** `value`: a number, or a text with one, as headers have it; `perUnit` of it make one unit. */
export function toToldCost(
  value: Json | undefined,
  unit: string,
  perUnit = 1,
): ProviderCost | undefined {
  const amount = typeof value === "string" && value !== "" ? Number(value) : value
  return typeof amount === "number" ? { amount: amount / perUnit, unit } : undefined
}
