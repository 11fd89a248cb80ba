/**
 * Artifact storage, observed. A `put` takes as long as what it is fed by: its time is the rendering's
 * or the download's too.
 */
import type { ArtifactPut, ArtifactStorage, Clock } from "@safelight/core"
import type { Registry } from "prom-client"
import { createPortMeter } from "./observe-port.ts"
import { createCounter } from "./tally.ts"

export interface ArtifactsMeterOptions {
  readonly registry: Registry
  readonly clock: Pick<Clock, "monotonicNow">
}

export function createArtifactsMeter({
  registry,
  clock,
}: ArtifactsMeterOptions): <Kind extends ArtifactStorage>(artifacts: Kind) => Kind {
  const observe = createPortMeter({
    registry,
    clock,
    name: "artifacts",
    words: "artifact storage",
  })
  const stored = createCounter(registry, {
    name: "safelight_artifacts_stored_bytes_total",
    help: "Bytes of artifacts that this process stored.",
    labels: [],
  }).series({})
  return (artifacts) => {
    const observed = observe(artifacts)
    return {
      ...observed,
      put: (request: ArtifactPut) =>
        observed.put(request).then((made) => {
          stored.add(made.bytes)
          return made
        }),
    }
  }
}
