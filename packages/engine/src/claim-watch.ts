/**
 * Watching the claims of other processes: one whose beats stood still for `claimMs` is that of a
 * process which is gone, and is voided. Time is this process's own monotonic clock from when it
 * first saw the beats; no other process's clock plays a part, and no wall clock. This process's own
 * claims that hold no work any more are given up here too.
 */
import type { ClaimBeats } from "@safelight/core"
import type { Context } from "./context.ts"

export interface ClaimWatch {
  /**
   * Looks at all claims but those that are in use here, which `isOwn` tells at any moment; resolves to
   * how many it ended.
   */
  look(isOwn: (claim: string) => boolean): Promise<number>
}

interface Sight {
  readonly beats: number
  /** When this count was first seen, on the monotonic clock. */
  readonly seenAt: number
}

export function createClaimWatch({ claims, clock, log, settings, storage }: Context): ClaimWatch {
  let sights: ReadonlyMap<string, Sight> = new Map()

  /** A count is seen after it was read, so never before the renewal that made it. */
  function see(found: readonly ClaimBeats[]): ReadonlyMap<string, Sight> {
    const now = clock.monotonicNow()
    return new Map(
      found.map(({ claim, beats }) => {
        const sight = sights.get(claim)
        return [claim, sight?.beats === beats ? sight : { beats, seenAt: now }]
      }),
    )
  }

  return {
    async look(isOwn) {
      const others = (await storage.listClaims()).filter(({ claim }) => !isOwn(claim))
      sights = see(others)
      claims.noteOthers(others.map(({ claim }) => claim))
      const stillSince = clock.monotonicNow() - settings.claimMs
      let ended = 0
      for (const { claim, beats } of others) {
        if (claims.isRetired(claim)) {
          // What was being taken when the look began may be work by now.
          if (!claims.isOver(claim) || isOwn(claim)) continue
          if (await storage.voidClaim({ claim, beats })) claims.forget(claim)
          continue
        }
        const { seenAt = Infinity } = sights.get(claim) ?? {}
        if (seenAt <= stillSince && (await storage.voidClaim({ claim, beats }))) {
          ended += 1
          log.warn({ claim }, "claim voided")
        }
      }
      return ended
    },
  }
}
