/**
 * Where a provider's requests go. A URL that it handed out is followed to its own hosts alone, since
 * credentials go along.
 */
import { SafelightError } from "@safelight/core"
import type { Provider, ProviderRequest } from "./provider.ts"

export type ToAddress = (request: Pick<ProviderRequest, "path" | "query">) => URL

/** Throws `invalid-configuration` where `baseUrl` is none. */
export function createToAddress(provider: Provider, baseUrl = provider.baseUrl): ToAddress {
  const base = URL.parse(baseUrl)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    const message = `baseUrl of ${provider.name} must be an http or https URL`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const root = base.href.replace(/\/$/, "")
  const hosts = [base.host, ...(provider.apiHosts ?? [])]

  return ({ path, query = {} }) => {
    const address = new URL(path.startsWith("/") ? `${root}${path}` : path)
    const isOwn = hosts.some((host) => isWithin(address.host, host))
    if (!isOwn || address.protocol !== base.protocol) {
      const message = `${provider.name} names a URL that is not its own`
      throw new SafelightError({ code: "channel-answer-invalid", message, retryable: true })
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return address
  }
}

/** The star stands for one name or more, never for none. */
function isWithin(host: string, own: string): boolean {
  return own.startsWith("*.") ? host.endsWith(own.slice(1)) : host === own
}
