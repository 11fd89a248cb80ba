/**
 * A `fetch` for clients that know their provider's hosts and refuse any other: requests to those hosts go to the
 * stub, and the stub's own addresses in its answers are told as the provider's.
 */
import type { RunningStub } from "@safelight/testkit/stubs"

/** `hosts` begins with the one whose paths the stub takes without a host. */
export function asProvider(stub: RunningStub, hosts: readonly string[]): typeof fetch {
  const [first = ""] = hosts

  function toStub(text: string): string {
    const url = new URL(text)
    if (!hosts.includes(url.host)) throw new Error(`${url.host} is no host of the provider`)
    return `${stub.url}/${url.host}${url.pathname}${url.search}`
  }

  function toProvider(text: string): string {
    const named = hosts.reduce(
      (told, host) => told.replaceAll(`${stub.url}/${host}/`, `https://${host}/`),
      text,
    )
    return named.replaceAll(stub.url, `https://${first}`)
  }

  return async (input, init) => {
    const asked = input instanceof Request ? input.url : String(input)
    const response = await fetch(toStub(asked), init)
    const type = response.headers.get("content-type") ?? ""
    if (!type.startsWith("application/json")) return response
    const { headers, status } = response
    const text = toProvider(await response.text())
    const told = new Headers(headers)
    told.delete("content-length")
    return new Response(status === 204 ? null : text, { status, headers: told })
  }
}
