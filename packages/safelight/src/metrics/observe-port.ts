/**
 * A port with each of its calls timed, and its failures counted by our error codes. The labels are
 * names of its own methods. What answers at once, and what is no function, stays as it is.
 */
import type { Clock } from "@safelight/core"
import type { Registry } from "prom-client"
import { toErrorCode } from "./error-code.ts"
import { CALL_BOUNDS } from "./latency-bounds.ts"
import { listMembers } from "./own-members.ts"
import { createCounter, createHistogram } from "./tally.ts"

export interface PortMeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
  /** Between `safelight_` and `_duration_seconds`. */
  readonly name: string
  /** What is called, for people. */
  readonly words: string
}

type Call = (...values: readonly unknown[]) => unknown

/** Makes the observed form of one kind of port; several of them count together. */
export function createPortMeter(
  options: PortMeterOptions,
): <Port extends object>(port: Port) => Port {
  const { registry, clock, name, words } = options
  const durations = createHistogram(registry, {
    name: `safelight_${name}_duration_seconds`,
    help: `How long calls of ${words} took, failed ones included.`,
    labels: ["method"],
    bounds: CALL_BOUNDS,
  })
  const failures = createCounter(registry, {
    name: `safelight_${name}_failures_total`,
    help: `Calls of ${words} that failed, by error code.`,
    labels: ["method", "code"],
  })

  function createMeter(method: string) {
    const duration = durations.series({ method })
    const byCode = new Map<string, ReturnType<typeof failures.series>>()
    return {
      end(beganAt: number): void {
        duration.observe((clock.monotonicNow() - beganAt) / 1_000)
      },
      fail(error: unknown): void {
        const code = toErrorCode(error)
        const failed = byCode.get(code) ?? failures.series({ method, code })
        byCode.set(code, failed)
        failed.add(1)
      },
    }
  }

  const meters = new Map<string, ReturnType<typeof createMeter>>()

  function observe(method: string, call: Call, port: object): Call {
    const meter = meters.get(method) ?? createMeter(method)
    meters.set(method, meter)
    return (...values) => {
      const beganAt = clock.monotonicNow()
      const made = Reflect.apply(call, port, values)
      if (!(made instanceof Promise)) return made
      return made.then(
        (result: unknown) => {
          meter.end(beganAt)
          return result
        },
        (error: unknown) => {
          meter.end(beganAt)
          meter.fail(error)
          throw error
        },
      )
    }
  }

  return (port) => {
    const members = [...listMembers(port)].map(([method, member]) => {
      const isCall = typeof member === "function"
      return [method, isCall ? observe(method, member as Call, port) : member] as const
    })
    return Object.fromEntries(members) as typeof port
  }
}
