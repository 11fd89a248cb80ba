/**
 * A message of another protocol: JSON of any shape, within the bounds of a creation's. It is read on the event loop
 * and counted apart from creations, so that neither takes the other's room.
 */
import { joinPieces } from "../body/body-pieces.ts"
import { JSON_BODY_REFUSALS } from "../body/creation-refusals.ts"
import { parseBody } from "../body/parse-body.ts"
import { checkJsonHead, createReceive, toBounds, type BodyKind } from "./body-kinds.ts"

export const messageBody: BodyKind<unknown> = {
  refusals: JSON_BODY_REFUSALS,
  create({ settings }) {
    const { messageBytes: bodyBytes, messagesInFlightBytes: inFlightBytes } = settings
    const bounded = { ...settings, ...toBounds({ bodyBytes, inFlightBytes }) }
    return {
      check: checkJsonHead,
      reading: {
        receive: createReceive(bounded, ({ report }) => report.identity?.account.id ?? ""),
        parse: (pieces) => parseBody(joinPieces(pieces)),
      },
    }
  },
}
