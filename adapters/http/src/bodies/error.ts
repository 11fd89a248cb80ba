/** The body of every refusal; the document has an example of each code (`openapi/error-responses.ts`). */
import * as v from "valibot"
import { described } from "./body.ts"
import { MAX_DETAILS } from "../errors/error-response.ts"
import { ERROR_CODES, ERRORS } from "../errors/error-table.ts"

const ERROR_TYPES = [...new Set(ERROR_CODES.map((code) => ERRORS[code][1]))]

export const errorBody = v.object({
  error: v.object({
    message: described(v.string(), "For people; decide by `code`."),
    type: v.picklist(ERROR_TYPES),
    code: v.picklist(ERROR_CODES),
    param: v.optional(described(v.string(), "Present where exactly one parameter is at fault.")),
    details: v.optional(
      described(
        v.pipe(
          v.array(
            v.object({ param: v.string(), code: v.picklist(ERROR_CODES), message: v.string() }),
          ),
          v.maxLength(MAX_DETAILS),
        ),
        "Present where several parameters are at fault.",
      ),
    ),
  }),
})
