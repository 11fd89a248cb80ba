/**
 * A small JSON body of a fixed shape. It is read on the event loop and counted apart from creations, so that
 * neither takes the other's room. What is ambiguous is refused as in a creation.
 */
import { toParameterIssue, type ParameterIssueCode } from "@safelight/core"
import type { JsonSchema } from "@valibot/to-json-schema"
import * as v from "valibot"
import { joinPieces } from "../body/body-pieces.ts"
import { JSON_BODY_REFUSALS } from "../body/creation-refusals.ts"
import { parseBody } from "../body/parse-body.ts"
import { PARAMETER_CODES } from "../errors/error-table.ts"
import { refuseParameters, toRefuse } from "../errors/refusal.ts"
import type { Exchange } from "../pipeline/exchange.ts"
import { toInputSchema } from "../openapi/json-schema.ts"
import { checkJsonHead, createReceive, toBounds, type BodyKind } from "./body-kinds.ts"

const refuse = toRefuse([...JSON_BODY_REFUSALS, ...PARAMETER_CODES])

/** A URL of the longest, and what else an object of settings may hold. */
const BODY_BYTES = 64 * 1024
const BODIES_IN_FLIGHT_BYTES = 16 * BODY_BYTES

export interface JsonBodyOptions<Value> {
  readonly schema: v.GenericSchema<unknown, Value>
  readonly example: object
  /**
   * The longest body where anybody may send one, without a key. There is room for one of each connection, and
   * nobody shares it, so a stranger who stalls takes no other's.
   */
  readonly strangerBytes?: number
}

export function jsonBody<Value>({
  schema,
  example,
  strangerBytes,
}: JsonBodyOptions<Value>): BodyKind<Value> {
  return {
    // Only the document asks.
    get refusals() {
      return [...new Set([...JSON_BODY_REFUSALS, ...listFaults(toInputSchema(schema))])]
    },
    describe: () => ({
      required: true,
      content: { "application/json": { schema: toInputSchema(schema), example } },
    }),
    create({ settings }) {
      const bodyBytes = strangerBytes ?? BODY_BYTES
      const inFlightBytes =
        strangerBytes === undefined ? BODIES_IN_FLIGHT_BYTES : strangerBytes * settings.connections
      const bounded = { ...settings, ...toBounds({ bodyBytes, inFlightBytes }) }
      return {
        check: checkJsonHead,
        reading: {
          receive: createReceive(bounded, toSender),
          parse: (pieces) => parseFields(parseBody(joinPieces(pieces)), schema),
        },
      }
    },
  }
}

/** How a value fails a keyword of JSON Schema. */
const FAULTS: Readonly<Record<string, ParameterIssueCode>> = {
  additionalProperties: "unknown_parameter",
  required: "missing_required_parameter",
  type: "invalid_type",
  const: "invalid_value",
  enum: "invalid_value",
  maxLength: "string_above_max_length",
  minLength: "string_below_min_length",
  maxItems: "array_above_max_length",
  minItems: "array_below_min_length",
  maximum: "integer_above_max_value",
  minimum: "integer_below_min_value",
}

/** The codes of all that may be wrong with a value that the schema describes. */
function listFaults(described: JsonSchema): readonly ParameterIssueCode[] {
  const { anyOf = [], items, properties = {}, required, type } = described
  const parts = [
    ...Object.values(properties),
    ...anyOf,
    ...(Array.isArray(items) ? items : [items]),
  ]
  const keywords = Object.keys(described).filter(
    (keyword) => keyword !== "required" || required?.length !== 0,
  )
  return [
    ...keywords.flatMap((keyword) => FAULTS[keyword] ?? []),
    // Half a character is no text.
    ...(type === "string" ? (["invalid_value"] as const) : []),
    ...parts.flatMap((part) => (typeof part === "object" ? listFaults(part) : [])),
  ]
}

/** Of strangers each request is a sender of its own. */
function toSender({ report, requestId }: Exchange): string {
  return report.identity?.account.id ?? requestId
}

/** Throws a `Refusal` that names everything that is wrong. */
function parseFields<Value>(body: unknown, schema: v.GenericSchema<unknown, Value>): Value {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw refuse("invalid_type", { message: "The request body must be a JSON object." })
  }
  const checked = v.safeParse(schema, body)
  if (checked.success) return checked.output
  const issues = checked.issues.map((issue) => toParameterIssue("", issue))
  throw refuseParameters(refuse, issues)
}
