/**
 * The options of a guarded fetch, and their checks. Every bound has a default and none can be turned off: a
 * zero is refused and does not mean "for ever".
 */
import ipaddr from "ipaddr.js"
import { LONGEST_TIMER_MS, SafelightError, takeIntegers } from "@safelight/core"

/** Resolves to the addresses of a host, as canonical text; rejects if there are none. */
export type LookUpHost = (hostname: string) => Promise<readonly string[]>

export interface GuardedFetchOptions {
  /** CIDR blocks that may be connected to although they are not public, such as `10.1.0.0/16`. */
  readonly allowedAddresses?: readonly string[]
  /** CIDR blocks that may never be connected to, whatever is allowed or trusted. */
  readonly deniedAddresses?: readonly string[]
  /** From the look-up of the host to the end of the TLS handshake. */
  readonly connectTimeoutMs?: number
  /** From the request to the last header of its answer. */
  readonly headersTimeoutMs?: number
  /** Between two chunks of a body; the time that the reader takes does not count. */
  readonly bodyTimeoutMs?: number
  /** The least average pace of a body, judged once it was waited for as long as `bodyTimeoutMs` in all. */
  readonly leastBytesPerSecond?: number
  /** From `open` to the last byte that is read, including waiting, redirects and the reader's time. */
  readonly totalTimeoutMs?: number
  /** Redirects followed before giving up; 0 follows none. */
  readonly maxRedirects?: number
  /** URLs open at once; the next ones wait. Data URLs need no permit. */
  readonly connections?: number
  /** Replaces the name servers and, for trusted origins, the system's resolver. */
  readonly lookup?: LookUpHost
}

export type GuardedFetchSettings = Required<Omit<GuardedFetchOptions, "lookup">>

export const DEFAULTS: GuardedFetchSettings = {
  /** Public addresses alone. */
  allowedAddresses: [],
  /** None, since no address that is not public is allowed by itself. */
  deniedAddresses: [],
  /** A lost SYN is sent again after 1 s and 3 s: two losses still get through. */
  connectTimeoutMs: 5_000,
  /** Some hosts make the file when it is asked for. */
  headersTimeoutMs: 15_000,
  /** A transfer that stood still for so long has died. */
  bodyTimeoutMs: 15_000,
  /** 0.4 Mbit/s: enough for a picture on a bad line, and too much to hold a connection by single bytes. */
  leastBytesPerSecond: 50_000,
  /** 200 MiB at 14 Mbit/s. */
  totalTimeoutMs: 120_000,
  /** A CDN needs one or two; curl stops at 50, browsers at 20. */
  maxRedirects: 5,
  /** Above the 50 references that one task may hold (30 images, 10 videos, 10 sounds). */
  connections: 64,
}

const BOUNDS = {
  connectTimeoutMs: [1, LONGEST_TIMER_MS],
  headersTimeoutMs: [1, LONGEST_TIMER_MS],
  bodyTimeoutMs: [1, LONGEST_TIMER_MS],
  leastBytesPerSecond: [1, 1_000_000_000],
  totalTimeoutMs: [1, LONGEST_TIMER_MS],
  maxRedirects: [0, 20],
  connections: [1, 10_000],
} as const

/** Before the name of a wrong option. */
const PREFIX = "The guarded fetch's option "

/** Throws `invalid-configuration`, naming the option. */
export function toSettings(options: GuardedFetchOptions): GuardedFetchSettings {
  for (const name of Object.keys(options)) {
    if (name !== "lookup" && !(name in DEFAULTS)) throw wrong(name, "is not an option")
  }
  if (options.lookup !== undefined && typeof options.lookup !== "function") {
    throw wrong("lookup", "must be a function")
  }
  return {
    allowedAddresses: blocks("allowedAddresses", options),
    deniedAddresses: blocks("deniedAddresses", options),
    ...takeIntegers({ options, bounds: BOUNDS, defaults: DEFAULTS, prefix: PREFIX }),
  }
}

function blocks(
  name: "allowedAddresses" | "deniedAddresses",
  options: GuardedFetchOptions,
): readonly string[] {
  const list = options[name] ?? DEFAULTS[name]
  if (!Array.isArray(list) || !list.every(isBlock)) {
    throw wrong(name, "must list CIDR blocks such as 10.1.0.0/16")
  }
  return list
}

/** IPv4 in four decimal parts; an IPv4-mapped block would never match, for it is judged as IPv4. */
function isBlock(block: unknown): boolean {
  if (typeof block !== "string" || !ipaddr.isValidCIDR(block)) return false
  const [network] = ipaddr.parseCIDR(block)
  if (network instanceof ipaddr.IPv6) return !network.isIPv4MappedAddress()
  return ipaddr.IPv4.isValidCIDRFourPartDecimal(block)
}

function wrong(name: string, what: string): SafelightError {
  return new SafelightError({
    code: "invalid-configuration",
    message: `${PREFIX}${name} ${what}`,
  })
}
