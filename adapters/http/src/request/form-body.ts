/**
 * A message of another protocol that may hold files: `multipart/form-data` (RFC 7578), or JSON of any shape. It is
 * counted apart from creations, so that neither takes the other's room; the creation that is made of it is counted as
 * one. The texts of a form are worked on on the event loop, as JSON is, and may have no more bytes.
 */
import { joinPieces } from "../body/body-pieces.ts"
import { JSON_BODY_REFUSALS } from "../body/creation-refusals.ts"
import { refuseSize } from "../body/held-bodies.ts"
import { FORM_REFUSALS, parseForm } from "../body/parse-form.ts"
import { parseBody } from "../body/parse-body.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { checkCoding, checkJsonHead, createReceive, toBounds, type BodyKind } from "./body-kinds.ts"

const REFUSALS = [...JSON_BODY_REFUSALS, ...FORM_REFUSALS] as const

/** OpenAI's API takes 16 images; each option is a part too. */
const MOST_PARTS = 100

/** Of one part. Browsers and libraries write 200 bytes, and the name of the file. */
const HEAD_BYTES = 8 * 1024

/** Forms that are worked on at a time, each of which stands in memory three times until its task is stored. */
const AT_WORK = 2

export const formBody: BodyKind<unknown> = {
  refusals: REFUSALS,
  create({ settings }) {
    const { formBytes: bodyBytes, formsInFlightBytes, largeBodyBytes, messageBytes } = settings
    const bounds = toBounds({ bodyBytes, inFlightBytes: formsInFlightBytes })
    const bodiesAtWorkBytes = AT_WORK * bodyBytes
    const formBounds = { parts: MOST_PARTS, headBytes: HEAD_BYTES, textBytes: messageBytes }
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
          if (boundary !== undefined) return parseForm(joinPieces(pieces), boundary, formBounds)
          // It is parsed on the event loop.
          if (pieces.lengthBytes > messageBytes) throw refuseSize(messageBytes)
          return parseBody(joinPieces(pieces))
        },
      },
    }
  },
}

const FORM_TYPE = /^multipart\/form-data[ \t]*;/i
/** RFC 2046 §5.1.1: 1 to 70 of these characters, the last no space. */
const BOUNDARY =
  /;[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70}))[ \t]*(?:;|$)/i

/** Undefined of what is no form. */
function findBoundary({ request }: Exchange): string | undefined {
  const type = request.headers.get("content-type") ?? ""
  if (!FORM_TYPE.test(type)) return undefined
  const [, quoted, bare] = BOUNDARY.exec(type) ?? []
  return quoted ?? bare
}
