/**
 * The service as a provider of the AI SDK. Making a provider or a model sends nothing: a wrong id is found at the
 * first call. The service has neither language nor embedding models, so those methods always throw.
 */
import {
  InvalidArgumentError,
  NoSuchModelError,
  type Experimental_VideoModelV4 as VideoModelV4,
  type ImageModelV4,
  type ProviderV4,
} from "@ai-sdk/provider"
import { createClient } from "@safelight/client"
import { createImageModel } from "./image-model.ts"
import { createModelCache } from "./calls/model-cache.ts"
import type { SafelightSettings, Service } from "./calls/service.ts"
import { createVideoModel } from "./video-model.ts"

export interface SafelightProvider extends ProviderV4 {
  image(modelId: string): ImageModelV4
  imageModel(modelId: string): ImageModelV4
  video(modelId: string): VideoModelV4
  videoModel(modelId: string): VideoModelV4
}

/** Throws `InvalidArgumentError` that names the setting, without its value. */
export function createSafelight(settings: SafelightSettings): SafelightProvider {
  checkSettings(settings)
  const service: Service = { ...settings, models: createModelCache() }
  const image = (modelId: string): ImageModelV4 => createImageModel(service, modelId)
  const video = (modelId: string): VideoModelV4 => createVideoModel(service, modelId)
  return {
    specificationVersion: "v4",
    image,
    imageModel: image,
    video,
    videoModel: video,
    languageModel(modelId) {
      throw new NoSuchModelError({ modelId, modelType: "languageModel" })
    },
    embeddingModel(modelId) {
      throw new NoSuchModelError({ modelId, modelType: "embeddingModel" })
    },
  }
}

/** By the client's names for them. */
const SETTINGS: Readonly<Record<string, string>> = { url: "baseURL", key: "apiKey" }

function checkSettings({ baseURL: url, apiKey: key, settings = {} }: SafelightSettings): void {
  try {
    createClient({ url, key, settings, fetch: () => Promise.reject(new Error("not called")) })
  } catch (cause) {
    const [name = "", words = ""] = (cause as Error).message.split(/: (.*)/s)
    const argument = SETTINGS[name] ?? name
    throw new InvalidArgumentError({ argument, message: `${argument}: ${words}`, cause })
  }
}
