/**
 * An image model of the AI SDK over the task API: submits, waits, downloads. The SDK is told no limit of images a
 * call, since this package divides a call into tasks itself: then one idempotency key is enough for all of them.
 */
import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4Result } from "@ai-sdk/provider"
import { openCall } from "./calls/open-call.ts"
import { readModel } from "./calls/read-model.ts"
import type { Service } from "./calls/service.ts"
import { createDraft, divide, findMedia, isMask } from "@safelight/client/parameters"
import { toImageParameters } from "./parameters/image-parameters.ts"
import { toMetadata } from "./tasks/collect-files.ts"
import { makeFiles } from "./tasks/make-files.ts"

const MODEL_TYPE = "imageModel"

export function createImageModel(service: Service, modelId: string): ImageModelV4 {
  /** Undefined if it can't be known now: who asks must not fail for it. */
  async function takes(isRight: (name: string) => boolean): Promise<boolean | undefined> {
    try {
      const info = await readModel(openCall(service, modelId, {}), MODEL_TYPE)
      return findMedia(createDraft(info), "image").some(isRight)
    } catch {
      return undefined
    }
  }

  return {
    specificationVersion: "v4",
    provider: "safelight.image",
    modelId,
    maxImagesPerCall: Number.MAX_SAFE_INTEGER,
    get supportsFileInputs() {
      return takes((name) => !isMask(name))
    },
    get supportsMaskInputs() {
      return takes(isMask)
    },
    doGenerate: (options) => generate(service, modelId, options),
  }
}

async function generate(
  service: Service,
  modelId: string,
  options: ImageModelV4CallOptions,
): Promise<ImageModelV4Result> {
  const call = openCall(service, modelId, options)
  const info = await readModel(call, MODEL_TYPE)
  const drafts = divide(info, options.n).map((n) => toImageParameters(info, options, n))
  const { files, warnings } = await makeFiles(call, MODEL_TYPE, drafts)
  return {
    images: files.map(({ bytes }) => bytes),
    // Without images the SDK would call again, which is another purchase.
    isRetryable: false,
    warnings: [...warnings],
    providerMetadata: { safelight: { images: toMetadata(files) } },
    response: { timestamp: call.startedAt, modelId, headers: { ...call.answered() } },
  }
}
