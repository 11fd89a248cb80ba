/**
 * Makes what is held under this process's lease equal to what is in hand. A reply that was lost, a release
 * that failed and an admission that was given up are one case: a task that is held and that nobody here
 * knows. It is released at the second heartbeat that finds it so, since at the first it may still be on its
 * way here.
 *
 *   in hand, not held → called off      held, unknown → seen ─still unknown at the next heartbeat→ released
 */
import type { Context } from "../host/context.ts"
import type { Work } from "../work/work.ts"
import { giveBack } from "../work/give-back.ts"

/**
 * `known`: what was in hand when the heartbeat began, `held`: what it found. Resolves once what is unknown is
 * released.
 */
export type Reconcile = (known: readonly Work[], held: readonly string[]) => Promise<void>

export function createReconcile(
  context: Pick<Context, "clock" | "lease" | "log" | "storage">,
  isInHand: (task: string) => boolean,
): Reconcile {
  const { clock, lease, log } = context
  /** Since when they are unknown, on the monotonic clock. */
  let unknown: ReadonlyMap<string, number> = new Map()

  return async (known, held) => {
    const isHeld = new Set(held)
    for (const work of known) if (!isHeld.has(work.id)) work.controller.abort("not held any more")
    const now = clock.monotonicNow()
    const strangers = held.filter((task) => !isInHand(task))
    // What a taking under way brings was not held before that began.
    const takingSince = lease.takingSince()
    const stale = strangers.filter((task) => (unknown.get(task) ?? Infinity) < takingSince)
    unknown = new Map(strangers.map((task) => [task, unknown.get(task) ?? now]))
    if (stale.length === 0) return
    log.warn({ tasks: stale.length }, "stale tasks released")
    await giveBack(context, { tasks: stale, dueAt: clock.now() })
  }
}
