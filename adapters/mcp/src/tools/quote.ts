/** `quote`: what a task would cost at most. Nothing is bought. */
import { jsonText } from "@safelight/client"
import { toModelInput } from "../models/input-schema.ts"
import { toResult } from "../results/results.ts"
import { readObject, readText, requireKnown } from "./read-arguments.ts"
import type { Tool } from "./tool.ts"

export const quote: Tool = {
  name: "quote",
  list(models) {
    const { properties, required } = toModelInput(models)
    return {
      title: "Ask for the price",
      description: "Tells what a task would cost at most, and buys nothing.",
      inputSchema: {
        type: "object",
        // The schemas of the parameters stand in the tools that make them.
        properties: { ...properties, parameters: { type: "object" } },
        required,
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
    }
  },
  async run({ client, given, signal, spending }) {
    requireKnown(given, ["model", "parameters"])
    const text = jsonText(JSON.stringify(readObject(given, "parameters")))
    const found = await client.quote(readText(given, "model"), text, { signal })
    const leftMicros = spending.leftMicros()
    const session = leftMicros === undefined ? {} : { session_left_micros: leftMicros }
    return toResult({ ...found, ...session })
  },
}
