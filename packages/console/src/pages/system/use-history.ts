/** What the queue was while the page watched it: the service keeps no history. At most twenty minutes are kept. */
import type { System } from "@safelight/client"
import { useEffect } from "preact/hooks"
import { useSignal, type ReadonlySignal } from "@preact/signals"

export interface QueueSample {
  readonly atSeconds: number
  readonly waiting: number
  readonly held: number
}

/** At one in five seconds. */
const MOST_SAMPLES = 240

export function useHistory(system: System | undefined): ReadonlySignal<readonly QueueSample[]> {
  const samples = useSignal<readonly QueueSample[]>([])
  useEffect(() => {
    if (system === undefined) return
    const { due, held, new: fresh } = system.queue
    const sample = { atSeconds: Date.now() / 1_000, waiting: fresh + due, held }
    samples.value = [...samples.peek(), sample].slice(-MOST_SAMPLES)
  }, [system])
  return samples
}
