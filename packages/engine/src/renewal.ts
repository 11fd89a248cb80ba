/**
 * Keeping this process's claims alive, and looking after those of others, three times in the life
 * of a claim. Work whose claim is lost is called off in the same breath as the others are told that
 * they are still held; the moment they are held until is counted from before the renewal was sent.
 */
import type { ClaimWatch } from "./claim-watch.ts"
import type { Context } from "./context.ts"
import { toBackoffMs } from "./settings.ts"
import type { Work } from "./work.ts"

export interface RenewalParts {
  readonly watch: ClaimWatch
  /** All work that is held, parked work too. */
  readonly listWork: () => readonly Work[]
  /** Says again which slots are held. */
  readonly repeatSlots: () => Promise<void>
  /** Others' tasks are free to be taken. */
  readonly onFreed: () => void
}

export interface Renewal {
  /** One round. Rejects where the storage fails; what was renewed by then is. */
  run(): Promise<void>
  /** Round upon round until `stopped`. */
  runUntil(stopped: AbortSignal): Promise<void>
}

export function createRenewal(context: Context, parts: RenewalParts): Renewal {
  const { claims, clock, log, returns, settings, storage } = context

  async function renew(claim: string, held: readonly Work[]): Promise<void> {
    const startedAt = clock.monotonicNow()
    const kept = new Set(await storage.renew({ claim, tasks: held.map(({ id }) => id) }))
    claims.noteRenewed(claim, startedAt)
    for (const work of held) {
      if (kept.has(work.id)) work.heldUntil = startedAt + settings.claimMs
      else work.controller.abort()
    }
  }

  async function run(): Promise<void> {
    const byClaim = Map.groupBy(parts.listWork(), ({ claim }) => claim)
    const own = new Set([claims.tasks().id, claims.slots.id, ...byClaim.keys()])
    for (const claim of own) await renew(claim, byClaim.get(claim) ?? [])
    if ((await parts.watch.look(own)) > 0) parts.onFreed()
    await parts.repeatSlots()
    await returns.settle()
  }

  return {
    run,
    async runUntil(stopped) {
      const everyMs = settings.claimMs / 3
      for (let failures = 0; !stopped.aborted;) {
        // A renewal that failed is tried again soon: what is left of the claim is for working.
        const againMs = Math.min(everyMs / 2, toBackoffMs(settings, failures))
        const pauseMs = failures === 0 ? everyMs : againMs
        await clock.wait(pauseMs, stopped)
        try {
          await run()
          failures = 0
        } catch (error) {
          failures += 1
          log.error({ error }, "claims could not be renewed")
        }
      }
    },
  }
}
