/**
 * Which channel gets a task, as a pure function: the same candidates make the same choice. Of the lowest
 * tier with an able channel the one with the lowest start tag is taken, by start-time fair queueing: each
 * task costs 1 / weight, and a channel that was unable for a while continues from where its tier has come
 * to, neither owed what it missed nor behind the others.
 */
import type { BreakerState } from "./breaker.ts"

/** How a channel stands, whatever the task. */
export interface Standing {
  readonly isPaused: boolean
  /** It said that it has no room, and the time that it asked for is not over. */
  readonly isBusy: boolean
  readonly breaker: BreakerState
  /** Tasks that it can be given at once in addition to those it has. */
  readonly freePermits: number
  /** Requests that are left of its minute. */
  readonly freeRequests: number
}

export interface Candidate extends Standing {
  readonly name: string
  readonly tier: number
  readonly weight: number
  /** Why it can't express the request, in words without anything of the request's own. */
  readonly ineligible: string | undefined
  /** Its next start tag, if the virtual time of its tier has not come further by then. */
  readonly startTag: number
}

export interface Choice<Chosen extends Candidate = Candidate> {
  readonly candidate: Chosen
  /** The virtual time of its tier from now on. */
  readonly time: number
  /** Its start tag after this one. */
  readonly nextTag: number
}

/** How many new tasks a channel can be given now: one where that is to try it, none while it is tried. */
export function toRoom(standing: Standing): number {
  if (findObstacle(standing) !== undefined) return 0
  const most = standing.breaker === "half-open" ? 1 : Infinity
  return Math.min(most, standing.freePermits, standing.freeRequests)
}

/**
 * Undefined where none is able. `times` is the virtual time of each tier: the `time` of the last choice in
 * it. Of two with one start tag the earlier candidate is taken.
 */
export function chooseChannel<Chosen extends Candidate>(
  candidates: readonly Chosen[],
  times: ReadonlyMap<number, number>,
): Choice<Chosen> | undefined {
  let best: Chosen | undefined
  let bestTag = Infinity
  for (const candidate of candidates) {
    if (best !== undefined && candidate.tier > best.tier) continue
    if (candidate.ineligible !== undefined || toRoom(candidate) < 1) continue
    const tag = Math.max(candidate.startTag, times.get(candidate.tier) ?? 0)
    if (best !== undefined && candidate.tier === best.tier && tag >= bestTag) continue
    best = candidate
    bestTag = tag
  }
  if (best === undefined) return undefined
  return { candidate: best, time: bestTag, nextTag: bestTag + 1 / best.weight }
}

/** What stands in the way of anything new; undefined where nothing does. */
function findObstacle(standing: Standing): string | undefined {
  if (standing.isPaused) return "paused"
  if (standing.breaker === "open") return "breaker open"
  if (standing.breaker === "being-tried") return "breaker open, being tried"
  if (standing.isBusy) return "busy"
  if (standing.freeRequests < 1) return "its minute is full"
  return standing.freePermits < 1 ? "full" : undefined
}

/** Longer explanations are cut: they are written down with each attempt. */
const REASON_CHARACTERS = 500
const MORE_CHARACTERS = "; and 9999 more".length

/**
 * Why that one, for the log and for people: `tier 2, 1 of 3 channels able; fal: full; ark: resolution
 * 1080p is not offered`. It names every other candidate with its reason, as far as there is room.
 */
export function explainChoice(candidates: readonly Candidate[], { candidate }: Choice): string {
  const { breaker, name, tier } = candidate
  const able = candidates.filter((each) => each.ineligible === undefined && toRoom(each) > 0)
  let text = `tier ${tier}, ${able.length} of ${candidates.length} channels able`
  const trial = breaker === "half-open" ? [`${name}: tried again after failures`] : []
  const others = candidates.filter((each) => each !== candidate)
  const reasons = [...trial, ...others.map((each) => `${each.name}: ${toReason(each, tier)}`)]
  for (const [index, reason] of reasons.entries()) {
    if (text.length + 2 + reason.length > REASON_CHARACTERS - MORE_CHARACTERS) {
      return `${text}; and ${reasons.length - index} more`
    }
    text += `; ${reason}`
  }
  return text
}

function toReason(candidate: Candidate, tier: number): string {
  const obstacle = candidate.ineligible ?? findObstacle(candidate)
  if (obstacle !== undefined) return obstacle
  return candidate.tier === tier ? "able, not its turn" : `able, tier ${candidate.tier}`
}
