/**
 * How much of request bodies a service takes, by the memory that its process may use. A body takes
 * about ten times its size until it is stored, so that in a small container the HTTP adapter's own
 * bounds would have two of the largest end the process.
 */
import { totalmem } from "node:os"
import { DEFAULTS, type HttpSettings } from "@safelight/http"

/** Of the memory. Work on large bodies takes ten times its part; the rest is everything else's. */
const PARTS = { bodyBytes: 16, bodiesAtWorkBytes: 16, bodiesInFlightBytes: 8 } as const

/** What the machine has, or less where a container's control group says so. */
export function readMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory()
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalmem()) : totalmem()
}

/** The adapter's bounds of bodies, or less where the memory is small. */
export function toBodySettings(memoryBytes: number): Partial<HttpSettings> {
  const bound = (name: keyof typeof PARTS): number =>
    Math.min(DEFAULTS[name], Math.floor(memoryBytes / PARTS[name]))
  return {
    bodyBytes: bound("bodyBytes"),
    bodiesAtWorkBytes: bound("bodiesAtWorkBytes"),
    bodiesInFlightBytes: bound("bodiesInFlightBytes"),
  }
}
