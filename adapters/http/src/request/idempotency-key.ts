/**
 * `Idempotency-Key` (http-decisions §7), and the fingerprint of the request that it stands for. A quoted
 * key is a structured-field string (RFC 8941 §3.3.3) and equals the same key without quotes.
 */
import { createTextDigest, toCanonicalJson } from "@safelight/core"
import { toRefuse } from "../errors/refusal.ts"
import { countHeader } from "../exchange.ts"
import type { HeaderParameter } from "./header-parameters.ts"

const REFUSALS = ["invalid_idempotency_key"] as const
const refuse = toRefuse(REFUSALS)

const sha256 = createTextDigest(globalThis)

const NAME = "idempotency-key"
const MAX_CHARACTERS = 255
/** Printable ASCII, spaces included. */
const PRINTABLE = /^[ -~]+$/
/** `"` and `\` are escaped by `\`, and nothing else is. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/

/** The key, undefined if none was sent; HTTP drops the spaces around it. */
export const idempotencyKey: HeaderParameter<string | undefined> = {
  description:
    "1 to 255 printable ASCII characters of your choice, quoted or not, new for each task. The " +
    "same request with the same key is the same task, for 14 days; another request is refused.",
  schema: { type: "string", minLength: 1 },
  refusals: REFUSALS,
  absent: undefined,
  parse(sent, exchange) {
    const key = countHeader(exchange, NAME) === 1 ? parseKey(sent) : undefined
    if (key === undefined) throw refuse("invalid_idempotency_key")
    return key
  },
}

function parseKey(text: string): string | undefined {
  const key = text.startsWith('"') ? unquote(text) : text
  if (key === undefined || key.length > MAX_CHARACTERS || !PRINTABLE.test(key)) return undefined
  return key
}

function unquote(text: string): string | undefined {
  const [, inner] = QUOTED.exec(text) ?? []
  return inner?.replaceAll(/\\(.)/g, "$1")
}

/**
 * SHA-256 of the creation request with this body, as 64 lower-case hexadecimal digits: white space
 * and the order of members make no difference, every value does.
 */
export function fingerprintCreation(body: unknown): string | Promise<string> {
  return sha256(`POST\n/v1/tasks\n${toText(body)}`)
}

/**
 * Half a character and a number beyond what JSON can hold have no canonical text. No model takes either,
 * so the fingerprint is never stored and any text will do; the service says what is wrong.
 */
function toText(body: unknown): string {
  try {
    return toCanonicalJson(body)
  } catch (error) {
    if (error instanceof TypeError) return JSON.stringify(body)
    throw error
  }
}
