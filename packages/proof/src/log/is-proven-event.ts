/** Whether a value that came from outside has the members of a proven event: what they say is proved elsewhere. */
import type { ProvenEvent } from "@safelight/core"

export function isProvenEvent(event: unknown): event is ProvenEvent {
  if (!isObject(event)) return false
  const { at, data, hash, index, proof, schema, sealed = hash, type, version } = event
  return (
    [at, index, schema, version].every((number) => Number.isSafeInteger(number)) &&
    [data, hash, sealed, type].every((text) => typeof text === "string" && text.isWellFormed()) &&
    [hash, sealed].every((digits) => /^[0-9a-f]{64}$/.test(String(digits))) &&
    Array.isArray(proof) &&
    proof.every((text) => typeof text === "string")
  )
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
