/** What every step works with: the ports, and the parts of the engine that are built on them. */
import type { CallbackAddresses } from "./callback-addresses.ts"
import type { Claims } from "./claims.ts"
import type { Deadlines } from "./deadlines.ts"
import type { EngineClock } from "./engine-clock.ts"
import type { LateAnswers } from "./late-answers.ts"
import type { Ports } from "./ports.ts"
import type { Recorder } from "./recorder.ts"
import type { Returns } from "./returns.ts"
import type { Routing } from "./routing.ts"

export interface Context extends Ports {
  readonly callbacks: CallbackAddresses
  readonly claims: Claims
  readonly clock: EngineClock
  readonly deadlines: Deadlines
  readonly lateAnswers: LateAnswers
  readonly recorder: Recorder
  readonly returns: Returns
  readonly routing: Routing
}
