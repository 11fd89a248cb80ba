/**
 * Which channels this process leaves alone since they failed. The engine says it with each heartbeat of its
 * lease, so the gauge is some seconds late, and a process that does no work has none.
 */
import type { LeaseFacts } from "@safelight/core"
import { Gauge, type Registry } from "prom-client"

/** To be called with each heartbeat. */
export function createLeftAloneGauge(
  registry: Registry,
): (facts: Pick<LeaseFacts, "channels" | "leftAlone">) => void {
  const gauge = new Gauge({
    name: "safelight_channel_left_alone",
    help: "1 where this process gives the channel nothing new since its calls failed, else 0.",
    labelNames: ["channel"],
    registers: [registry],
  })
  return ({ channels, leftAlone }) => {
    for (const channel of channels) gauge.set({ channel }, leftAlone.includes(channel) ? 1 : 0)
  }
}
