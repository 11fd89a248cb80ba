/** What every step works with: the ports, and the parts of the engine that are built on them. */
import type { Deadlines } from "./deadlines.ts"
import type { Ports } from "./ports.ts"
import type { Recorder } from "./recorder.ts"

export interface Context extends Ports {
  readonly deadlines: Deadlines
  readonly recorder: Recorder
}
