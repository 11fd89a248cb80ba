/** A model as the API shows it: what it takes, what it makes, what bounds it and what it costs. */
import { DATA_URL_TYPES, MEDIA_URL_LIMITS, toPriceVersion, type Model } from "@safelight/core"
import { describeParameters } from "../openapi/describe-parameters.ts"
import type { Services } from "../services.ts"
import { toPriceBody } from "./usage-body.ts"

/** JSON Schema's dialect, which the OpenAPI document names once for all. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema"

/** Throws `invalid-configuration` if the parameters can't be described. */
export function toModelBody(
  { service, settings }: Pick<Services, "service" | "settings">,
  model: Model,
): object {
  const table = service.currentPrices()
  return {
    model: model.id,
    outputs: { type: model.artifacts, keys: model.artifacts === "video" ? "video" : "image_<n>" },
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
    price_version: toPriceVersion(table, model.id),
    price: toPriceBody(table.models[model.id] ?? {}),
    parameters: { $schema: DIALECT, ...describeParameters(model) },
  }
}
