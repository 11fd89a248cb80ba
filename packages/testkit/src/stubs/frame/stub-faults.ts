/**
 * The faults that every stub has, by the place where they strike, and the switches by which a test turns them on. A
 * fault of `create` strikes after the purchase was recorded, except the `busy` ones: a provider that answers 429
 * has created nothing.
 */

/** Of any answer. */
const ANSWER_FAULTS = [
  "reset",
  "server-error",
  "gateway-error",
  "slow",
  "html",
  "empty",
  "truncated",
  "redirect",
  "busy",
  "busy-seconds",
  "busy-date",
] as const

export const STUB_FAULTS = {
  create: ANSWER_FAULTS,
  poll: [...ANSWER_FAULTS, "not-found"],
  download: [
    "reset",
    "server-error",
    "slow",
    "html",
    "empty",
    "truncated",
    "too-long",
    "too-short",
    "redirect",
    "gone",
    "expired",
    "disguised",
    "mistyped",
    "without-ranges",
  ],
  webhook: ["lost", "doubled", "reordered", "early", "forged", "stale", "foreign"],
} as const

export type FaultPlace = keyof typeof STUB_FAULTS
export type FaultAt<Place extends FaultPlace> = (typeof STUB_FAULTS)[Place][number]

/**
 * create, poll: `reset` cuts the connection without a reply, `server-error` is a 500 in the
 * provider's words and `gateway-error` a 502 without any, `slow` replies after `slowMs`, `html` and
 * `empty` are 200, `truncated` is half of the JSON, `redirect` names a private address, `busy` is a
 * 429 without Retry-After, or with one in seconds or as a date. `not-found`: an ID that was known.
 * download: `truncated` cuts the connection halfway, `too-long` announces more than it sends,
 * `too-short` announces half of what it sends, `slow` stops halfway for `slowMs`, `gone` is 404 and
 * `expired` 410, `disguised` is a page with the type of the file, `mistyped` the file with the type of a page.
 * webhook: `early` comes before the reply to the create, `forged` has a lie with the signature of the true message,
 * `stale` was signed an hour ago, `foreign` names an ID that the caller never created.
 */
export interface StubFaults {
  readonly create: FaultAt<"create">
  readonly poll: FaultAt<"poll">
  readonly download: FaultAt<"download">
  readonly webhook: FaultAt<"webhook">
  /** Faults of this provider alone: names of `RunningStub.ownFaults`. */
  readonly own: readonly string[]
  /** Each fault strikes this often and is over; without it, until the next `setFaults`. */
  readonly times: number
  /** Every key is refused, as if the account had revoked it. */
  readonly isKeyRevoked: boolean
  /** How far the provider's clock is ahead of ours, in milliseconds. */
  readonly skewMs: number
}

export interface FaultSwitches {
  set(faults: Partial<StubFaults>): void
  /** The fault at that place, without counting it. */
  peek<Place extends FaultPlace>(place: Place): FaultAt<Place> | undefined
  /** The fault at that place, counted as having struck. */
  take<Place extends FaultPlace>(place: Place): FaultAt<Place> | undefined
  /** Whether the provider's own fault strikes now, and counts it. */
  takeOwn(fault: string): boolean
  skewMs(): number
  isKeyRevoked(): boolean
}

/** `set` throws a RangeError for an unknown name: a switch that does nothing would prove nothing. */
export function createFaultSwitches(ownFaults: readonly string[]): FaultSwitches {
  let faults: Partial<StubFaults> = {}
  let struck = new Map<string, number>()

  function isLeft(name: string): boolean {
    return (struck.get(name) ?? 0) < (faults.times ?? Infinity)
  }

  function strike(name: string): void {
    struck.set(name, (struck.get(name) ?? 0) + 1)
  }

  function peek<Place extends FaultPlace>(place: Place): FaultAt<Place> | undefined {
    return isLeft(place) ? faults[place] : undefined
  }

  return {
    set(next) {
      checkFaults(next, ownFaults)
      faults = next
      struck = new Map()
    },
    peek,
    take(place) {
      const fault = peek(place)
      if (fault !== undefined) strike(place)
      return fault
    },
    takeOwn(fault) {
      if (!ownFaults.includes(fault)) throw new RangeError(`the stub has no fault ${fault}`)
      if (faults.own?.includes(fault) !== true || !isLeft(`own ${fault}`)) return false
      strike(`own ${fault}`)
      return true
    },
    skewMs: () => faults.skewMs ?? 0,
    isKeyRevoked: () => faults.isKeyRevoked ?? false,
  }
}

function checkFaults(faults: Partial<StubFaults>, ownFaults: readonly string[]): void {
  for (const [place, known] of Object.entries(STUB_FAULTS)) {
    const fault = faults[place as FaultPlace]
    const isKnown = fault === undefined || (known as readonly string[]).includes(fault)
    if (!isKnown) throw new RangeError(`${place} has no fault ${fault}`)
  }
  const stranger = faults.own?.find((fault) => !ownFaults.includes(fault))
  if (stranger !== undefined) throw new RangeError(`the stub has no fault ${stranger}`)
}
