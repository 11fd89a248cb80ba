/**
 * A message of another protocol that may hold files: `multipart/form-data` (RFC 7578), or JSON of any shape. It is
 * counted apart from creations, so that neither takes the other's room; the creation that is made of it is counted as
 * one. A form is read by the platform. Its parts are counted before, because each costs more than its bytes.
 */
import { joinPieces, type BodyPieces } from "../body/body-pieces.ts"
import { JSON_BODY_REFUSALS } from "../body/creation-refusals.ts"
import { refuseSize } from "../body/held-bodies.ts"
import { parseBody } from "../body/parse-body.ts"
import { toRefuse } from "../errors/refusal.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { checkCoding, checkJsonHead, createReceive, toBounds, type BodyKind } from "./body-kinds.ts"

const REFUSALS = [...JSON_BODY_REFUSALS, "malformed_request"] as const
const refuse = toRefuse(REFUSALS)

/** OpenAI's API takes 16 images; each option is a part too. */
const MOST_PARTS = 100

/** Forms that are worked on at a time, each of which stands in memory three times until its task is stored. */
const AT_WORK = 2

export const formBody: BodyKind<unknown> = {
  refusals: REFUSALS,
  create({ settings }) {
    const { formBytes: bodyBytes, formsInFlightBytes, largeBodyBytes, messageBytes } = settings
    const bounds = toBounds({ bodyBytes, inFlightBytes: formsInFlightBytes })
    const bodiesAtWorkBytes = AT_WORK * bodyBytes
    const bounded = { ...settings, ...bounds, bodiesAtWorkBytes, largeBodyBytes }
    return {
      check(exchange) {
        if (findBoundary(exchange) === undefined) checkJsonHead(exchange)
        else checkCoding(exchange.request)
      },
      reading: {
        receive: createReceive(bounded, ({ report }) => report.identity?.account.id ?? ""),
        parse(pieces, exchange) {
          const boundary = findBoundary(exchange)
          if (boundary !== undefined) return readForm(pieces, boundary)
          // It is parsed on the event loop.
          if (pieces.lengthBytes > messageBytes) throw refuseSize(messageBytes)
          return parseBody(joinPieces(pieces))
        },
      },
    }
  },
}

const FORM_TYPE = /^multipart\/form-data[ \t]*;/i
/** RFC 2046 §5.1.1: 1 to 70 characters. */
const BOUNDARY = /;[ \t]*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i

/** Undefined of what is no form. */
function findBoundary({ request }: Exchange): string | undefined {
  const type = request.headers.get("content-type") ?? ""
  if (!FORM_TYPE.test(type)) return undefined
  const [, quoted, bare] = BOUNDARY.exec(type) ?? []
  return quoted ?? bare
}

async function readForm(pieces: BodyPieces, boundary: string): Promise<FormData> {
  const bytes = joinPieces(pieces)
  if (hasTooManyParts(bytes, boundary)) {
    throw refuse("malformed_request", { message: `The form may have ${MOST_PARTS} parts.` })
  }
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` }
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData()
  } catch (cause) {
    throw refuse("malformed_request", { message: "The request body is no form.", cause })
  }
}

const [CR, LF] = [13, 10]

/**
 * A part begins with a line of the delimiter, and so does what ends the form. Each byte is looked at once, or twice
 * where a line begins as the delimiter does: no boundary makes a form take longer.
 */
function hasTooManyParts(bytes: Uint8Array, boundary: string): boolean {
  const delimiter = new TextEncoder().encode(`--${boundary}`)
  let parts = startsAt(bytes, 0, delimiter) ? 1 : 0
  for (let at = 1; at < bytes.length && parts <= MOST_PARTS + 1; at += 1) {
    if (bytes[at] !== LF || bytes[at - 1] !== CR) continue
    if (startsAt(bytes, at + 1, delimiter)) parts += 1
  }
  return parts > MOST_PARTS + 1
}

function startsAt(bytes: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at += 1) if (bytes[start + at] !== text[at]) return false
  return true
}
