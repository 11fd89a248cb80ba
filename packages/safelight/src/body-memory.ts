/**
 * How large request bodies may be, by the memory that the process may use. A body takes about ten times its
 * size until it is stored: with the HTTP adapter's own bounds, two of the largest would end the process in a
 * small container.
 */
import { totalmem } from "node:os"
import { DEFAULTS, type HttpSettings } from "@safelight/http"

/** Fractions of the memory, by their denominators. Work on large bodies takes ten times its fraction. */
const PARTS = { bodyBytes: 16, bodiesAtWorkBytes: 16, bodiesInFlightBytes: 8 } as const

/** The machine's memory, or less if a container's control group says so. */
export function readMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory()
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalmem()) : totalmem()
}

/** The adapter's bounds of bodies, or less if the memory is small. */
export function toBodySettings(memoryBytes: number): Partial<HttpSettings> {
  const bound = (name: keyof typeof PARTS): number =>
    Math.min(DEFAULTS[name], Math.floor(memoryBytes / PARTS[name]))
  return {
    bodyBytes: bound("bodyBytes"),
    bodiesAtWorkBytes: bound("bodiesAtWorkBytes"),
    bodiesInFlightBytes: bound("bodiesInFlightBytes"),
  }
}
