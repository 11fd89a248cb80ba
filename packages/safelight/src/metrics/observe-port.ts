/**
 * A port whose calls are timed, and whose failures are counted by our error codes. The labels are the names of
 * its methods. A method that returns no promise is not timed, and a member that is no function is left as it is.
 */
import type { Clock } from "@safelight/core"
import { Counter, Histogram, type Registry } from "prom-client"
import { toErrorCode } from "./error-code.ts"
import { CALL_BUCKETS } from "./latency-buckets.ts"
import { listMembers } from "./own-members.ts"

export interface MeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
}

export interface PortMeterOptions extends MeterOptions {
  /** Between `safelight_` and `_duration_seconds`. */
  readonly name: string
  /** What the port is, in the metrics' help text. */
  readonly words: string
}

type Call = (...values: readonly unknown[]) => unknown

/** Wraps ports of one kind; several of them share the metrics. */
export function createPortMeter(
  options: PortMeterOptions,
): <Port extends object>(port: Port) => Port {
  const { registry, clock, name, words } = options
  const registers = [registry]
  const durations = new Histogram({
    name: `safelight_${name}_duration_seconds`,
    help: `How long calls of ${words} took, failed ones included.`,
    labelNames: ["method"],
    buckets: CALL_BUCKETS,
    registers,
  })
  const failures = new Counter({
    name: `safelight_${name}_failures_total`,
    help: `Calls of ${words} that failed, by error code.`,
    labelNames: ["method", "code"],
    registers,
  })

  function observe(method: string, call: Call, port: object): Call {
    const duration = durations.labels({ method })
    return (...values) => {
      const beganAt = clock.monotonicNow()
      const end = (): void => duration.observe((clock.monotonicNow() - beganAt) / 1_000)
      const made = Reflect.apply(call, port, values)
      if (!(made instanceof Promise)) return made
      return made.then(
        (result: unknown) => {
          end()
          return result
        },
        (error: unknown) => {
          end()
          failures.inc({ method, code: toErrorCode(error) })
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
