/** Who answered the reads that a standby may answer. Without one nothing is counted. */
import { Counter, type Registry } from "prom-client"

export type OnRead = (answerer: "primary" | "replica") => void

export function createReadMeter(registry: Registry): OnRead {
  const reads = new Counter({
    name: "safelight_replica_reads_total",
    help: "Reads that a standby may answer, by who answered.",
    labelNames: ["answerer"],
    registers: [registry],
  })
  return (answerer) => reads.inc({ answerer })
}
