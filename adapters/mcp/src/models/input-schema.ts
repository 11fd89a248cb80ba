/**
 * The input of a tool that makes media: the model and its parameters. The schemas of few models stand in it as they
 * are. Those of many would fill an agent's context before its first word, so above the bounds the schema says where
 * they are found. It is for the agent alone: the service checks what is sent.
 */
import type { ModelInfo } from "@safelight/client"
import { DEFAULTS } from "../settings/defaults.ts"
import type { InputSchema } from "../tools/tool.ts"

export const WAIT_SECONDS = {
  type: "integer",
  minimum: 0,
  maximum: DEFAULTS.longestWaitSeconds,
  default: DEFAULTS.waitSeconds,
  description:
    "How long to wait for the result. A task that takes longer goes on: get_task finds it again.",
} as const

export function toModelInput(
  models: readonly ModelInfo[],
): Pick<InputSchema, "properties" | "required"> {
  return {
    properties: { model: toModelSchema(models), parameters: toParametersSchema(models) },
    required: ["model", "parameters"],
  }
}

function toModelSchema(models: readonly ModelInfo[]): object {
  if (models.length <= DEFAULTS.listedModels) return { enum: models.map(({ model }) => model) }
  return {
    type: "string",
    description: `The id of one of ${models.length} models, as list_models names them.`,
  }
}

function toParametersSchema(models: readonly ModelInfo[]): object {
  const schemas: object[] = []
  let characters = 0
  for (const { model, parameters } of models) {
    const { $schema: _dialect, ...schema } = parameters
    characters += JSON.stringify(schema).length
    if (characters > DEFAULTS.schemaCharacters) {
      return { type: "object", description: "As describe_model describes them for the model." }
    }
    schemas.push({ title: model, ...schema })
  }
  return schemas.length === 1 ? { ...schemas[0] } : { anyOf: schemas }
}
