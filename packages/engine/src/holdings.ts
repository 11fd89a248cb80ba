/**
 * The tasks this process holds: each is driven to its end, its claim renewed while it is, its slot
 * freed when it is done. A task that comes back before its last driver has returned waits for it.
 */
import type { Context } from "./context.ts"
import { drive } from "./drive.ts"
import type { Work } from "./work.ts"

export interface Holdings {
  /** Drives `work`; resolves when this process is done with it. */
  begin(work: Work): Promise<void>
  /** Prolongs every claim; work whose claim is lost is called off. */
  renew(): Promise<void>
  /** Calls off the work on a task, if any: it has ended. */
  callOff(task: string): void
  /** Waits up to `graceMs` for all work, calls off the rest; resolves to the tasks left over. */
  windDown(graceMs: number): Promise<readonly string[]>
}

interface Holding {
  readonly work: Work
  readonly done: Promise<void>
}

export function createHoldings(
  context: Context,
  claim: string,
  onEnd: (model: string) => void,
): Holdings {
  const { clock, settings, storage } = context
  const holdings = new Map<string, Holding>()

  function end(work: Work): void {
    if (holdings.get(work.id)?.work === work) holdings.delete(work.id)
    work.slot?.free()
    onEnd(work.head.task.model)
  }

  async function run(work: Work, earlier: Promise<void> | undefined): Promise<void> {
    if (earlier !== undefined) await earlier
    await drive(context, work)
    end(work)
  }

  return {
    begin(work) {
      const earlier = holdings.get(work.id)
      if (earlier !== undefined && isLive(earlier.work)) {
        // The claim had lapsed and came back to us: whoever drives the task goes on.
        earlier.work.heldUntil = work.heldUntil
        work.slot?.free()
        return earlier.done
      }
      const done = run(work, earlier?.done)
      holdings.set(work.id, { work, done })
      return done
    },
    async renew() {
      const held = [...holdings.values()].map(({ work }) => work)
      if (held.length === 0) return
      const heldUntil = clock.monotonicNow() + settings.claimMs
      const until = clock.now() + settings.claimMs
      const kept = new Set(await storage.renew({ claim, until, tasks: held.map(({ id }) => id) }))
      for (const work of held) {
        if (kept.has(work.id)) work.heldUntil = heldUntil
        else work.controller.abort()
      }
    },
    callOff: (task) => holdings.get(task)?.work.controller.abort("finished"),
    async windDown(graceMs) {
      const over = new AbortController()
      const all = Promise.all([...holdings.values()].map(({ done }) => done))
      await Promise.race([all, clock.wait(graceMs, over.signal)])
      over.abort("over")
      const left = [...holdings.values()]
      for (const { work } of left) work.controller.abort()
      await Promise.all(left.map(({ done }) => done))
      return left.map(({ work }) => work.id)
    },
  }
}

function isLive({ controller, isReleased }: Work): boolean {
  return !isReleased && !controller.signal.aborted
}
