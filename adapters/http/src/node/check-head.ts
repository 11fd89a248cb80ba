/**
 * Checks a request's head before its path is looked at. Node's own limit for the whole head is wider
 * than ours for URL and headers together, so that it is known here which of the two is too long.
 */
import type { IncomingMessage } from "node:http"
import type { HttpSettings } from "../pipeline/defaults.ts"
import { Refusal } from "../errors/refusal.ts"

/** `: ` after a name, and the end of the line after its value. */
const LINE_BYTES = 4

const CLOSE = { connection: "close" } as const

/** How much of a head Node's parser takes before it gives up. */
export function toParserBytes({ headerBytes, urlCharacters }: HttpSettings): number {
  return 2 * (headerBytes + urlCharacters)
}

export function checkHead(incoming: IncomingMessage, settings: HttpSettings): Refusal | undefined {
  const { rawHeaders, url = "" } = incoming
  if (url.length > settings.urlCharacters) return new Refusal("uri_too_long", { headers: CLOSE })
  let headerBytes = 0
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    headerBytes += name.length + (rawHeaders[index + 1] ?? "").length + LINE_BYTES
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  if (headerBytes > settings.headerBytes) {
    return new Refusal("headers_too_large", { headers: CLOSE })
  }
  return checkHost(incoming, hosts) ?? checkTransferCoding(incoming)
}

/** HTTP/1.1 needs exactly one (RFC 9112 §3.2). */
function checkHost({ httpVersionMinor }: IncomingMessage, hosts: number): Refusal | undefined {
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined
  return refuseTarget()
}

export function refuseTarget(): Refusal {
  return new Refusal("malformed_request", {
    message: "A request needs one Host header and a valid URL.",
    headers: CLOSE,
  })
}

/** Node decodes `chunked` alone; a body with a second coding would be read still encoded. */
function checkTransferCoding({ headers }: IncomingMessage): Refusal | undefined {
  const coding = headers["transfer-encoding"]
  if (coding === undefined || coding.trim().toLowerCase() === "chunked") return undefined
  return new Refusal("malformed_request", {
    message: "The only Transfer-Encoding that is taken is chunked.",
    headers: CLOSE,
  })
}
