/**
 * How large request bodies may be, by the memory that the process may use. A body takes many times its size
 * until it is stored: with the HTTP adapter's own bounds, two of the largest would end the process in a
 * small container.
 */
import { totalmem } from "node:os"
import { SafelightError } from "@safelight/core"
import { DEFAULTS, type HttpSettings } from "@safelight/http"

const MEBIBYTE = 1024 * 1024

/** What the process takes before it has read a body, with room for its other work. */
const OWN_BYTES = 256 * MEBIBYTE
/** With less, bodies would be smaller than one picture. */
const LEAST_BYTES = 384 * MEBIBYTE
/**
 * Fractions of the memory above `OWN_BYTES`, by their denominators. Work on a large body takes ten times its size,
 * and that memory is collected only after the next body has begun: with a twentieth, four callers with the largest
 * bodies ended a process of 512 MiB within 20 s; with a fortieth, it outlived them at 384, 512, 768 and 1,024 MiB.
 */
const PARTS = { bodyBytes: 40, bodiesAtWorkBytes: 40, bodiesInFlightBytes: 20 } as const

export type BodySettings = Pick<HttpSettings, keyof typeof PARTS>

/** The machine's memory, or less if a container's control group says so. */
export function readMemoryBytes(): number {
  const constrainedBytes = process.constrainedMemory()
  return constrainedBytes > 0 ? Math.min(constrainedBytes, totalmem()) : totalmem()
}

/** The adapter's bounds of bodies, or less if the memory is small. Throws `invalid-configuration` if it is too small. */
export function toBodySettings(memoryBytes: number): BodySettings {
  if (memoryBytes < LEAST_BYTES) throw refuseMemory(memoryBytes)
  const bound = (name: keyof typeof PARTS): number =>
    Math.min(DEFAULTS[name], Math.floor((memoryBytes - OWN_BYTES) / PARTS[name]))
  return {
    bodyBytes: bound("bodyBytes"),
    bodiesAtWorkBytes: bound("bodiesAtWorkBytes"),
    bodiesInFlightBytes: bound("bodiesInFlightBytes"),
  }
}

function refuseMemory(memoryBytes: number): SafelightError {
  const has = Math.floor(memoryBytes / MEBIBYTE)
  const needs = LEAST_BYTES / MEBIBYTE
  const message = `only ${has} MiB of memory may be used, and a service needs ${needs}: raise the limit of its container or control group`
  return new SafelightError({ code: "invalid-configuration", message })
}
