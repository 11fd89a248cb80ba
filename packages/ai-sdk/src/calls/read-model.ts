/** What a call must know of its model before it asks for anything. */
import { NoSuchModelError } from "@ai-sdk/provider"
import type { ModelInfo } from "@safelight/client"
import type { Call } from "./open-call.ts"
import { toSdkError, type ModelType } from "./to-sdk-error.ts"

export const MAKES = { imageModel: "image", videoModel: "video" } as const

/** Rejects with `NoSuchModelError` if there is no such model, or it makes something else. */
export async function readModel(call: Call, modelType: ModelType): Promise<ModelInfo> {
  const { client, modelId, service, signal } = call
  const info = await service.models.read(client, modelId, signal).catch((error: unknown) => {
    throw toSdkError(error, call, { modelType })
  })
  const { type, extras = [] } = info.outputs
  if ([type, ...extras.map((each) => each.type)].includes(MAKES[modelType])) return info
  const message = `${modelId} makes ${type}, and no ${MAKES[modelType]}`
  throw new NoSuchModelError({ modelId, modelType, message })
}
