/** What every part of the engine works with: the ports and the numbers, put together once. */
import type {
  ArtifactStorage,
  Clock,
  Digest,
  Log,
  Model,
  PriceBook,
  Probe,
  Storage,
} from "@safelight/core"
import type { Deadlines } from "./deadlines.ts"
import type { Identifiers } from "./identifiers.ts"
import type { Recorder } from "./recorder.ts"
import type { Routing } from "./routing.ts"
import type { EngineSettings } from "./settings.ts"

export interface Ports {
  readonly storage: Storage
  readonly artifacts: ArtifactStorage
  readonly clock: Clock
  readonly digest: Digest
  readonly identifiers: Identifiers
  readonly log: Log
  readonly probe: Probe
  readonly settings: EngineSettings
  readonly models: ReadonlyMap<string, Model>
  readonly prices: PriceBook
  readonly routing: Routing
}

export interface Context extends Ports {
  readonly deadlines: Deadlines
  readonly recorder: Recorder
}
