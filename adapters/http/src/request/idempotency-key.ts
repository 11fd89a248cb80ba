/**
 * `Idempotency-Key` (http-decisions §7). A quoted key is a structured-field string (RFC 8941 §3.3.3) and equals
 * the same key without quotes.
 */
import { toRefuse } from "../errors/refusal.ts"
import { countHeader } from "../pipeline/exchange.ts"
import type { HeaderParameter } from "./header-parameters.ts"

const REFUSALS = ["invalid_idempotency_key"] as const
const refuse = toRefuse(REFUSALS)

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
