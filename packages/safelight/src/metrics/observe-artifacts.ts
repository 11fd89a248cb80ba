/**
 * Metrics of an artifact storage. A `put` takes as long as its source: its time includes the rendering or the
 * download that feeds it.
 */
import type { ArtifactPut, ArtifactStorage } from "@safelight/core"
import { Counter } from "prom-client"
import { createPortMeter, type MeterOptions } from "./observe-port.ts"

export function createArtifactsMeter({
  registry,
  clock,
}: MeterOptions): <Kind extends ArtifactStorage>(artifacts: Kind) => Kind {
  const observe = createPortMeter({
    registry,
    clock,
    name: "artifacts",
    words: "artifact storage",
  })
  const storedBytes = new Counter({
    name: "safelight_artifacts_stored_bytes_total",
    help: "Bytes of artifacts that this process stored.",
    registers: [registry],
  })
  return (artifacts) => {
    const observed = observe(artifacts)
    return {
      ...observed,
      put: (request: ArtifactPut) =>
        observed.put(request).then((made) => {
          storedBytes.inc(made.bytes)
          return made
        }),
    }
  }
}
