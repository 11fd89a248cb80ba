/** `describe_model`: everything that the API tells of a model, its parameters as JSON Schema among it. */
import { toResult } from "../results/results.ts"
import { readText, requireKnown } from "./read-arguments.ts"
import type { Tool } from "./tool.ts"

export const describeModel: Tool = {
  name: "describe_model",
  list: () => ({
    title: "Describe a model",
    description: "Describes a model: its parameters as JSON Schema, limits, price and examples.",
    inputSchema: {
      type: "object",
      properties: { model: { type: "string" } },
      required: ["model"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }),
  async run({ client, given, signal }) {
    requireKnown(given, ["model"])
    return toResult({ ...(await client.model(readText(given, "model"), { signal })) })
  },
}
