/**
 * The query of a request's address. The rest of the address is not taken apart: a Host that is no
 * host would make that fail, with an error that holds the whole address and what is secret in it.
 */
export function toQuery(url: string): URLSearchParams {
  const [address = ""] = url.split("#", 1)
  const start = address.indexOf("?")
  return new URLSearchParams(start === -1 ? "" : address.slice(start + 1))
}
