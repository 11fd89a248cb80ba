/** What every step works with: the ports, and the parts of the engine that are built on them. */
import type { CallbackAddresses } from "./callback-addresses.ts"
import type { Deadlines } from "./deadlines.ts"
import type { EngineClock } from "./engine-clock.ts"
import type { LateAnswers } from "../work/late-answers.ts"
import type { Ports } from "./ports.ts"
import type { KeptOutputs } from "../media/kept-outputs.ts"
import type { Measuring } from "../media/measuring.ts"
import type { RemovalClock } from "./removal-clock.ts"
import type { Recorder } from "../record/recorder.ts"
import type { Lease } from "../ownership/worker-lease.ts"
import type { FairShares } from "../scheduling/fair-shares.ts"
import type { Routing } from "../scheduling/routing.ts"
import type { Troubles } from "./troubles.ts"

export interface Context extends Ports {
  readonly callbacks: CallbackAddresses
  readonly clock: EngineClock
  readonly deadlines: Deadlines
  readonly keptOutputs: KeptOutputs
  readonly lateAnswers: LateAnswers
  readonly lease: Lease
  readonly measuring: Measuring
  readonly recorder: Recorder
  readonly removalClock: RemovalClock
  readonly routing: Routing
  readonly shares: FairShares
  readonly troubles: Troubles
}
