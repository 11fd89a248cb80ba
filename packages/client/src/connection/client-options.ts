/** The options of `createClient` and their check. */
import { systemClock, type ClientClock } from "./clock.ts"
import { withDefaults, type ClientSettings } from "./settings.ts"

/** As much of `fetch` as the client uses. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

export interface ClientOptions {
  /** The service's address. A path in it comes before `/v1`. */
  readonly url: string
  /** An API key. Keep it on a server: it gives access to the whole account. */
  readonly key: string
  /** Instead of the runtime's own. */
  readonly fetch?: FetchLike
  /** Any of `DEFAULTS`. */
  readonly settings?: Partial<ClientSettings>
  /** Instead of the runtime's own. */
  readonly clock?: ClientClock
  /** From 0 up to 1. It spreads pauses, so that clients which failed together don't retry together. */
  readonly random?: () => number
}

export interface CheckedOptions {
  /** Without a slash at its end. */
  readonly base: string
  /** Undefined before there is a key. */
  readonly authorization: string | undefined
  readonly fetch: FetchLike
  readonly settings: ClientSettings
  readonly clock: ClientClock
  readonly random: () => number
}

/** Looked up at each call. A browser's `fetch` must be called as a method of `globalThis`. */
const ownFetch: FetchLike = (url, init) => globalThis.fetch(url, init)

/** Throws a `TypeError` that names the option, without its value. */
export function checkOptions(options: ClientOptions): CheckedOptions {
  return { ...checkService(options), authorization: `Bearer ${checkKey(options.key)}` }
}

/** Where the service is and how it is called, without a key. Throws as `checkOptions` does. */
export function checkService(options: Omit<ClientOptions, "key">): CheckedOptions {
  const { url, clock = systemClock, random = Math.random } = options
  if (options.fetch === undefined && typeof globalThis.fetch !== "function") {
    throw new TypeError("fetch: this runtime has none, so hand one in")
  }
  return {
    base: toBase(url),
    authorization: undefined,
    fetch: options.fetch ?? ownFetch,
    settings: withDefaults(options.settings),
    clock,
    random,
  }
}

function toBase(url: string): string {
  const words = "url: expected an http or https address without credentials, query and fragment"
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new TypeError(words)
  }
  const { hash, origin, password, pathname, protocol, search, username } = parsed
  const isPlain = username + password + search + hash === ""
  if (!/^https?:$/.test(protocol) || !isPlain) throw new TypeError(words)
  return `${origin}${pathname.replace(/\/+$/, "")}`
}

function checkKey(key: string): string {
  if (typeof key === "string" && /^[\x21-\x7e]+$/.test(key)) return key
  throw new TypeError("key: expected an API key")
}
