/**
 * Where a provider's requests go. A URL that it handed out is followed to its own hosts alone, since
 * credentials go along.
 */
import { SafelightError } from "@safelight/core"
import type { Provider, ProviderRequest } from "./provider.ts"

export type ToAddress = (request: Pick<ProviderRequest, "path" | "query">) => URL

/** Throws `invalid-configuration` where `baseUrl` is none. */
export function createToAddress(provider: Provider, baseUrl = provider.baseUrl): ToAddress {
  const base = parseBase(provider, baseUrl)
  const root = base.href.replace(/\/$/, "")
  const isOwn = createIsOwn(provider, baseUrl)

  return ({ path, query = {} }) => {
    const address = new URL(path.startsWith("/") ? `${root}${path}` : path)
    if (!isOwn(address)) {
      const message = `${provider.name} names a URL that is not its own`
      throw new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return address
  }
}

/** Whether credentials may go there. Throws `invalid-configuration` where `baseUrl` is none. */
export function createIsOwn(
  provider: Provider,
  baseUrl = provider.baseUrl,
): (address: URL) => boolean {
  const base = parseBase(provider, baseUrl)
  const hosts = [base.host, ...(provider.apiHosts ?? [])]
  return ({ host, protocol }) =>
    protocol === base.protocol && hosts.some((own) => isWithin(host, own))
}

function parseBase(provider: Provider, baseUrl: string | undefined): URL {
  const base = baseUrl === undefined ? null : URL.parse(baseUrl)
  // Credentials in it would be sent nowhere and recorded with the addresses that are made from it.
  const isPlain = base?.username === "" && base.password === "" && !/[?#]/.test(baseUrl ?? "")
  if (base !== null && isPlain && /^https?:$/.test(base.protocol)) return base
  const message = `baseUrl of ${provider.name} must be an http or https URL without a user, a query or a fragment`
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** The star stands for one name or more, never for none. */
function isWithin(host: string, own: string): boolean {
  return own.startsWith("*.") ? host.endsWith(own.slice(1)) : host === own
}
