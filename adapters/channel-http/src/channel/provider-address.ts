/**
 * The addresses of a provider's requests, which carry credentials: a URL that a provider hands out is followed to
 * its own hosts alone.
 */
import { isHostWithin, SafelightError } from "@safelight/core"
import type { Provider } from "../declaration/provider.ts"
import type { ProviderRequest } from "../declaration/provider-request.ts"

export interface ProviderAddress {
  readonly origin: string
  /** Whether credentials may go there. */
  readonly isOwn: (address: URL) => boolean
  /** Throws `channel-answer-invalid`, retryable, if the path is a URL at a host that is not the provider's. */
  readonly toUrl: (request: Pick<ProviderRequest, "path" | "query">) => URL
}

/** Throws `invalid-configuration` if `baseUrl` can't be an address. */
export function toProviderAddress(provider: Provider, baseUrl = provider.baseUrl): ProviderAddress {
  const base = parseBase(provider, baseUrl)
  const root = base.href.replace(/\/$/, "")
  const hosts = [base.host, ...(provider.apiHosts ?? [])]
  const isOwn = ({ host, protocol }: URL): boolean =>
    protocol === base.protocol && hosts.some((own) => isHostWithin(host, own))

  return {
    origin: base.origin,
    isOwn,
    toUrl({ path, query = {} }) {
      const address = new URL(path.startsWith("/") ? `${root}${path}` : path)
      if (!isOwn(address)) {
        const message = `${provider.name} names a URL that is not its own`
        throw new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
      }
      for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
      return address
    },
  }
}

function parseBase(provider: Provider, baseUrl: string | undefined): URL {
  const base = baseUrl === undefined ? null : URL.parse(baseUrl)
  // Credentials in it would not be sent, and would be recorded with the addresses that are made from it.
  const isPlain = base?.username === "" && base.password === "" && !/[?#]/.test(baseUrl ?? "")
  if (base !== null && isPlain && /^https?:$/.test(base.protocol)) return base
  const message = `baseUrl of ${provider.name} must be an http or https URL without a user, a query or a fragment`
  throw new SafelightError({ code: "invalid-configuration", message })
}
