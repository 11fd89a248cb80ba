/**
 * The body of a creation request: one shape for each model, told apart by `model`. The parameters are
 * described from the schemas that check them.
 */
import { imageEdit, referenceToVideo, textToImage, type Model } from "@safelight/core"
import { describeParameters } from "./describe-parameters.ts"

/** One valid creation request a model, by the model's id. */
const CREATION_EXAMPLES: ReadonlyMap<string, object> = new Map([
  [textToImage.id, { prompt: "A lighthouse in fog, seen from the sea", size: "landscape_16_9" }],
  [
    imageEdit.id,
    {
      prompt: "Make it night",
      image_urls: ["https://media.example/lighthouse.png"],
      output_format: "png",
      count: 2,
    },
  ],
  [
    referenceToVideo.id,
    {
      prompt: "The lamp turns slowly",
      image_urls: ["https://media.example/lighthouse.png"],
      resolution: "720p",
      duration: 6,
    },
  ],
])

export interface CreationBody {
  /** The component schemas, by name. */
  readonly schemas: Record<string, object>
  /** For `requestBody`. */
  readonly requestBody: object
}

/** So many models are described; a document of more would be of no use to people, nor to programs that read it whole. */
const MOST_MODELS = 50

export function toCreationBody(models: readonly Model[]): CreationBody {
  if (models.length > MOST_MODELS) return toAnyBody(models)
  const named = models.map((model) => ({ model, name: toSchemaName(model.id) }))
  const schemas = named.map(({ model, name }) => [name, toModelSchema(model)] as const)
  const creation = {
    oneOf: named.map(({ name }) => ({ $ref: toRef(name) })),
    discriminator: {
      propertyName: "model",
      mapping: Object.fromEntries(named.map(({ model, name }) => [model.id, toRef(name)])),
    },
  }
  const examples = models.flatMap(({ id }) => {
    const parameters = CREATION_EXAMPLES.get(id)
    return parameters === undefined ? [] : [{ id, value: { model: id, parameters } }]
  })
  return {
    schemas: { CreationRequest: creation, ...Object.fromEntries(schemas) },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: toRef("CreationRequest") },
          examples: Object.fromEntries(examples.map(({ id, value }) => [id, { value }])),
        },
      },
    },
  }
}

/** Says where each model is described, in place of all of them. */
function toAnyBody(models: readonly Model[]): CreationBody {
  const parameters = {
    type: "object",
    description:
      "What the model takes: `parameters` of `GET /v1/models/{model_id}` is its JSON Schema.",
  }
  const model = {
    type: "string",
    description: `One of ${models.length} public ids, which \`GET /v1/models\` lists.`,
  }
  const schema = {
    type: "object",
    required: ["model", "parameters"],
    properties: { model, parameters },
    additionalProperties: false,
  }
  return {
    schemas: { CreationRequest: schema },
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: toRef("CreationRequest") } } },
    },
  }
}

function toModelSchema(model: Model): object {
  const { id } = model
  return {
    title: id,
    type: "object",
    required: ["model", "parameters"],
    properties: { model: { const: id }, parameters: describeParameters(model) },
    additionalProperties: false,
  }
}

function toRef(name: string): string {
  return `#/components/schemas/${name}`
}

/** What a component may be called (OpenAPI 3.1 §4.8.7), different for different ids. */
function toSchemaName(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9.-]/gu, (character) =>
    character === "/" ? "__" : `_${character.codePointAt(0)?.toString(16) ?? ""}_`,
  )
}
