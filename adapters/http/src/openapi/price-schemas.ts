/** The schemas of what tells the price before: prices, quotes, the balance and the models. */
import * as v from "valibot"

/** A whole number from 0 on: seconds, milliseconds, micro-units or a count, as the member's name says. */
export const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

export const price = v.object({
  per_image_micros: v.optional(whole),
  per_video_second_micros: v.optional(whole),
})

export const balance = v.object({
  budget_micros: v.pipe(v.nullable(whole), v.description("Null where there is none.")),
  reserved_micros: v.pipe(whole, v.description("Held back for unfinished tasks.")),
  spent_micros: v.pipe(whole, v.description("Charged for finished tasks.")),
  left_micros: v.pipe(
    v.nullable(whole),
    v.description(
      "The budget without what is spent and reserved, at least 0. Null where there is no budget.",
    ),
  ),
})

export const quote = v.object({
  quote: v.pipe(v.string(), v.description("What `Safelight-Quote` takes on the submission.")),
  valid_until: v.pipe(
    whole,
    v.description(
      "Unix time in seconds, exclusive. A submission that names the quote before then is charged by " +
        "its prices, or refused where they have changed since; from then on it is refused.",
    ),
  ),
  model: v.string(),
  max_cost_micros: v.pipe(
    whole,
    v.description(
      "What is reserved for the task, and the most that it is charged: the lines added up, and " +
        "rounded up once.",
    ),
  ),
  price_version: v.pipe(v.string(), v.description("The table of prices.")),
  price: v.pipe(price, v.description("Micro-units of the account's currency.")),
  lines: v.pipe(
    v.array(
      v.object({
        item: v.picklist(["image", "output_video", "input_video"]),
        unit: v.picklist(["image", "second"]),
        unit_price_micros: whole,
        images: v.optional(v.pipe(whole, v.description("Of `image` alone."))),
        duration_ms: v.optional(
          v.pipe(whole, v.description("Of video: the most that can be billed.")),
        ),
        is_estimate: v.pipe(
          v.boolean(),
          v.description("Measured only later: it may be less, and is never billed as more."),
        ),
      }),
    ),
    v.description("What is billed. Empty for a model that has an arithmetic of its own."),
  ),
})

const MEDIA = ["image", "video", "audio"] as const

export const modelInfo = v.object({
  model: v.pipe(v.string(), v.description("The public id.")),
  outputs: v.object({
    type: v.picklist(["image", "video"]),
    keys: v.pipe(v.string(), v.description("Of the artifacts: `image_<n>`, from 1, or `video`.")),
  }),
  media: v.pipe(
    v.array(
      v.object({
        param: v.pipe(v.string(), v.description("As errors name it: `parameters.image_urls`.")),
        type: v.picklist(MEDIA),
        data_url_types: v.pipe(v.array(v.string()), v.description("MIME types.")),
      }),
    ),
    v.description("The parameters that take URLs of media, or data URLs."),
  ),
  limits: v.object({
    body_bytes: v.pipe(whole, v.description("The body of a creation request.")),
    url_characters: whole,
    data_url_bytes: v.pipe(whole, v.description("Of one data URL, decoded.")),
  }),
  price_version: v.pipe(v.string(), v.description("The table that prices new tasks.")),
  price: v.pipe(price, v.description("Micro-units of the account's currency.")),
  parameters: v.pipe(
    v.record(v.string(), v.unknown()),
    v.description("JSON Schema (2020-12) of `parameters`, with defaults."),
  ),
})

export const modelList = v.object({ models: v.array(modelInfo) })
