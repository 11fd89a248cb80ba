/**
 * The tasks this process works on: each is driven to its end, and its permit released when it is done. A
 * task that comes back before its last driver has returned waits for it.
 */
import type { Context } from "../host/context.ts"
import { driveTraced } from "../work/drive-traced.ts"
import { ENDED_HERE, type Work } from "../work/work.ts"

export interface InFlight {
  /** Drives `work`; resolves when this process is done with it. */
  begin(work: Work): Promise<void>
  /** Whether `task` is worked on here now. */
  has(task: string): boolean
  /** Whether what was bought for `task` is being stored here. */
  isCollecting(task: string): boolean
  /** What is worked on now. */
  list(): readonly Work[]
  /** Has the task polled soon, if it is worked on here; whether it is. */
  wake(task: string): boolean
  /** Calls off the work on a task, if any: it has ended. */
  callOff(task: string): void
  /**
   * Waits up to `graceMs` for all work, calls off the rest; resolves to what is left over. What a channel
   * still answers to a purchase is waited for, and has a poll's time to be kept: no other process gets it.
   */
  windDown(graceMs: number): Promise<readonly Work[]>
}

interface Driven {
  readonly work: Work
  readonly done: Promise<void>
}

export function createInFlight(
  context: Context,
  onEnd: (model: string, account: string) => void,
): InFlight {
  const { clock, settings } = context
  const inFlight = new Map<string, Driven>()
  /** All that is driven: also what later work on its task waits for. */
  const driven = new Set<Work>()

  function end(work: Work): void {
    driven.delete(work)
    if (inFlight.get(work.id)?.work === work) inFlight.delete(work.id)
    work.permit?.release()
    work.accountPermit?.release()
    const { account, model } = work.head.task
    onEnd(model, account)
  }

  async function run(work: Work, earlier: Promise<void> | undefined): Promise<void> {
    if (earlier !== undefined) await earlier
    await driveTraced(context, work)
    end(work)
  }

  async function endWork({ call, ending }: Work, over: AbortSignal): Promise<void> {
    if (call !== undefined) {
      await Promise.allSettled([call])
      await clock.wait(settings.pollTimeoutMs, over)
    }
    ending.abort()
  }

  return {
    begin(work) {
      const earlier = inFlight.get(work.id)
      driven.add(work)
      // The lease had expired and the task came back to us. Its last driver may be about to learn that it
      // gave the task back, so it must not continue.
      earlier?.work.controller.abort("taken again")
      const done = run(work, earlier?.done)
      inFlight.set(work.id, { work, done })
      return done
    },
    has: (task) => inFlight.has(task),
    isCollecting: (task) => inFlight.get(task)?.work.isCollecting === true,
    list: () => [...inFlight.values()].map(({ work }) => work),
    wake: (task) => wakeWork(inFlight.get(task)?.work),
    callOff: (task) => inFlight.get(task)?.work.controller.abort(ENDED_HERE),
    async windDown(graceMs) {
      const inTime = new AbortController()
      const all = Promise.all([...inFlight.values()].map(({ done }) => done))
      await Promise.race([all, clock.wait(graceMs, inTime.signal)])
      inTime.abort("over")
      const left = [...inFlight.values()]
      const over = new AbortController()
      for (const work of driven) {
        work.controller.abort()
        void endWork(work, over.signal)
      }
      await Promise.all(left.map(({ done }) => done))
      over.abort("over")
      return left.map(({ work }) => work)
    },
  }
}

function wakeWork(work: Work | undefined): boolean {
  if (work === undefined) return false
  work.isWoken = true
  work.wake?.()
  return true
}
