/** `list_models`: what can be made, in a line each; `describe_model` has the rest. */
import type { ModelInfo } from "@safelight/client"
import { listTools } from "../models/media-tools.ts"
import { toResult } from "../results/results.ts"
import { requireKnown } from "./read-arguments.ts"
import type { Tool } from "./tool.ts"

export const listModels: Tool = {
  name: "list_models",
  list: () => ({
    title: "List models",
    description: "Lists the models: what each makes, with which tool, and at what price.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }),
  async run({ client, given, signal }) {
    requireKnown(given, [])
    return toResult({ models: (await client.models({ signal })).map(toShort) })
  },
}

function toShort(info: ModelInfo): Readonly<Record<string, unknown>> {
  const { available, currency, description, model, outputs, price, title } = info
  const words = { ...(title && { title }), ...(description && { description }) }
  const cost = { price, ...(currency && { currency }) }
  return { model, ...words, makes: outputs.type, tools: listTools(info), available, ...cost }
}
