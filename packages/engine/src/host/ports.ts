/** The ports and the numbers that an engine is made from, put together once. */
import type {
  ArtifactStorage,
  Channel,
  Clock,
  Digest,
  Log,
  MediaInspector,
  MediaSource,
  Model,
  NodeFacts,
  PriceBook,
  Probe,
  TaskStorage,
  Tracer,
} from "@safelight/core"
import type { UnitCosts } from "../record/attempt-cost.ts"
import type { ContentRefusals } from "../work/refusal-rule.ts"
import type { Identifiers } from "./identifiers.ts"
import type { InputLinks } from "./input-links.ts"
import type { EngineSettings } from "./settings.ts"
import type { TaskModels } from "./task-models.ts"
import type { VerifiedReads } from "../reads/verified-reads.ts"

export interface Ports {
  readonly storage: TaskStorage
  readonly artifacts: ArtifactStorage
  readonly clock: Clock
  readonly digest: Digest
  readonly identifiers: Identifiers
  readonly log: Log
  readonly probe: Probe
  readonly settings: EngineSettings
  /** Those that are served: what may be asked for. */
  readonly models: ReadonlyMap<string, Model>
  readonly taskModels: TaskModels
  readonly prices: PriceBook
  readonly channels: readonly Channel[]
  /** Absent where providers fetch no inputs from here. */
  readonly inputLinks: InputLinks
  /** What operators declared, by the channel's name. */
  readonly costs: ReadonlyMap<string, UnitCosts>
  readonly contentRefusals: ContentRefusals
  /** Undefined where bytes that are read whole are not compared with the log. */
  readonly verifiedReads: VerifiedReads | undefined
  /** Both are there where a channel's outputs are URLs. */
  readonly media: MediaSource | undefined
  readonly inspector: MediaInspector | undefined
  readonly node: NodeFacts | undefined
  readonly tracer: Tracer
}
