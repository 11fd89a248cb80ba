/** A model as the API shows it: what it takes, what it makes, what bounds it and what it costs. */
import {
  ARTIFACT_KINDS,
  DATA_URL_TYPES,
  MEDIA_URL_LIMITS,
  textToImage,
  toArtifactKey,
  toPriceVersion,
  UNAVAILABLE_REASONS,
  type Model,
  type UnavailableReason,
} from "@safelight/core"
import * as v from "valibot"
import { describeParameters } from "../openapi/describe-parameters.ts"
import type { Services } from "../pipeline/services.ts"
import { defineBody, described, type Shown } from "./body.ts"
import { nextCursor } from "./page.ts"
import { price, toPriceBody } from "./price.ts"
import { currency, whole } from "./shapes.ts"

/** JSON Schema's dialect, which the OpenAPI document names once for all. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema"

const MEDIA = ["image", "video", "audio"] as const

const EXAMPLE = {
  model: textToImage.id,
  available: true,
  unavailable_reason: null,
  outputs: { type: "image", keys: "image_<n>" },
  media: [],
  limits: { body_bytes: 67_108_864, url_characters: 8_192, data_url_bytes: 20_971_520 },
  currency: "USD",
  price_version: "default-1",
  price: { per_image_micros: 10_000 },
  parameters: {
    $schema: DIALECT,
    type: "object",
    required: ["prompt"],
    properties: { prompt: { type: "string", minLength: 1, maxLength: 10_000 } },
    additionalProperties: false,
  },
} as const

const output = {
  type: v.picklist(ARTIFACT_KINDS),
  keys: described(
    v.string(),
    "Of the artifacts: `image_<n>`, from 1; of any other kind its name, and further ones `video_2`….",
  ),
} as const

export const modelInfo = defineBody("ModelInfo", EXAMPLE, {
  model: described(v.string(), "The public id."),
  available: described(v.boolean(), "Whether it can be made now, as far as is known."),
  unavailable_reason: described(
    v.nullable(v.picklist(UNAVAILABLE_REASONS)),
    "Nothing works on tasks, nothing that does can make it, or the operator has paused it. Null if it is available.",
  ),
  title: v.optional(described(v.string(), "For people; absent: the id is all there is.")),
  description: v.optional(described(v.string(), "One sentence for people.")),
  examples: v.optional(
    described(v.array(v.record(v.string(), v.unknown())), "Parameters to begin with."),
  ),
  options: v.optional(
    described(
      v.record(
        v.string(),
        v.object({
          parameter: v.string(),
          values: v.optional(
            described(
              v.record(v.string(), v.unknown()),
              "By an option's value what the parameter's is; any other is passed on as it is.",
            ),
          ),
        }),
      ),
      "Which parameters take the options of callers that have the same ones for all models.",
    ),
  ),
  outputs: v.object({
    ...output,
    extras: v.optional(
      described(v.array(v.object(output)), "What it makes besides, as a film's last frame."),
    ),
  }),
  media: described(
    v.array(
      v.object({
        param: described(v.string(), "As errors name it: `parameters.image_urls`."),
        type: v.picklist(MEDIA),
        data_url_types: described(v.array(v.string()), "MIME types."),
      }),
    ),
    "The parameters that take URLs of media, or data URLs.",
  ),
  limits: v.object({
    body_bytes: described(whole, "The body of a creation request."),
    url_characters: whole,
    data_url_bytes: described(whole, "Of one data URL, decoded."),
  }),
  currency,
  price_version: described(v.string(), "The table that prices new tasks."),
  price: described(price, "Micro-units of the account's currency."),
  parameters: described(
    v.record(v.string(), v.unknown()),
    "JSON Schema (2020-12) of `parameters`, with defaults.",
  ),
})

const MODEL_LIST_EXAMPLE = {
  models: [EXAMPLE],
  next_cursor: null,
} as const

export const modelList = defineBody("ModelList", MODEL_LIST_EXAMPLE, {
  models: v.array(modelInfo),
  next_cursor: nextCursor,
})

function toOutputs({ artifacts }: Model): Shown<typeof modelInfo>["outputs"] {
  const [main, ...extras] = artifacts.map((type) => ({
    type,
    keys: type === "image" ? "image_<n>" : toArtifactKey(type, 1),
  }))
  if (main === undefined) throw new TypeError("a model makes nothing")
  return extras.length === 0 ? main : { ...main, extras }
}

/** Throws `invalid-configuration` if the parameters can't be described. */
export function toModelBody(
  { currency: name, service, settings }: Pick<Services, "currency" | "service" | "settings">,
  model: Model,
  unavailableReason: UnavailableReason | null = null,
): Shown<typeof modelInfo> {
  const table = service.currentPrices()
  return {
    model: model.id,
    title: model.title,
    description: model.description,
    examples: model.examples?.filter(isParameters),
    options: model.options,
    available: unavailableReason === null,
    unavailable_reason: unavailableReason,
    outputs: toOutputs(model),
    media: Object.entries(model.media).map(([param, kind]) => ({
      param: `parameters.${param}`,
      type: kind,
      data_url_types: DATA_URL_TYPES[kind],
    })),
    limits: {
      body_bytes: settings.bodyBytes,
      url_characters: MEDIA_URL_LIMITS.urlCharacters,
      data_url_bytes: MEDIA_URL_LIMITS.dataUrlBytes,
    },
    currency: name,
    price_version: toPriceVersion(table, model.id),
    price: toPriceBody(table.models[model.id] ?? {}),
    parameters: { $schema: DIALECT, ...describeParameters(model) },
  }
}

function isParameters(example: unknown): example is Readonly<Record<string, unknown>> {
  return typeof example === "object" && example !== null && !Array.isArray(example)
}
