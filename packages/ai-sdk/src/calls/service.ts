/** The settings of a provider, and what every call of it shares. */
import type { ClientSettings, FetchLike } from "@safelight/client"
import type { ModelCache } from "./model-cache.ts"

export interface SafelightSettings {
  /** The service's address, such as `https://media.example`. */
  readonly baseURL: string
  /** An API key with the scopes `tasks:write`, `tasks:read` and `artifacts:read`; for private links also `links:write`. */
  readonly apiKey: string
  /** Sent with every request. Headers of the task API itself stay as they are. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Instead of the runtime's own. */
  readonly fetch?: FetchLike
  /** Any of the client's `DEFAULTS`: tries, pauses, time limits. */
  readonly settings?: Partial<ClientSettings>
}

export interface Service extends SafelightSettings {
  readonly models: ModelCache
}
