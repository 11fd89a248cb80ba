/** Image models by the AI SDK's own provider for OpenAI's API. */
import { createOpenAI } from "@ai-sdk/openai"

export function createOpenAICompatible(baseURL: string, apiKey: string) {
  const provider = createOpenAI({ baseURL, apiKey })
  return (id: string) => provider.image(id)
}
