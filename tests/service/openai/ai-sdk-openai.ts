/** Image models by the AI SDK's provider for OpenAI, at another address. */
import { createOpenAI } from "@ai-sdk/openai"

export function createOpenAiImages(baseURL: string, apiKey: string) {
  const provider = createOpenAI({ baseURL, apiKey })
  return (id: string) => provider.image(id)
}
