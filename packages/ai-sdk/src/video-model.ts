/**
 * A video model of the AI SDK over the task API. `doGenerate` does everything in one call; with `doStart` and
 * `doStatus` the SDK polls itself, also from another process, since an operation is a list of task ids.
 */
import {
  InvalidArgumentError,
  type Experimental_VideoModelV4 as VideoModelV4,
  type Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  type Experimental_VideoModelV4OperationStatusResult as OperationStatusResult,
  type JSONValue,
} from "@ai-sdk/provider"
import { openCall, type Call } from "./calls/open-call.ts"
import { readModel } from "./calls/read-model.ts"
import type { Service } from "./calls/service.ts"
import { toSdkError } from "./calls/to-sdk-error.ts"
import { divide } from "@safelight/client/parameters"
import type { Draft } from "@safelight/client/parameters"
import { toVideoParameters } from "./parameters/video-parameters.ts"
import { collectFiles, toMetadata, type Collected } from "./tasks/collect-files.ts"
import { makeFiles, toRequest } from "./tasks/make-files.ts"
import { submitTasks } from "./tasks/submit-tasks.ts"

const MODEL_TYPE = "videoModel"

export function createVideoModel(service: Service, modelId: string): VideoModelV4 {
  return {
    specificationVersion: "v4",
    provider: "safelight.video",
    modelId,
    maxVideosPerCall: Number.MAX_SAFE_INTEGER,
    async doGenerate(options) {
      const { call, drafts } = await prepare(service, modelId, options)
      const { files, warnings } = await makeFiles(call, MODEL_TYPE, drafts)
      return { ...toResult(call, files), warnings: [...warnings] }
    },
    async doStart(options) {
      const { call, drafts } = await prepare(service, modelId, options)
      const requests = drafts.map((draft) => toRequest(call, draft))
      const tasks = await submitTasks(call, MODEL_TYPE, requests)
      const taskIds = tasks.map(({ task_id: id }) => id)
      return {
        operation: { taskIds },
        warnings: drafts[0]?.warnings ?? [],
        providerMetadata: { safelight: { taskIds } },
        response: toResponse(call),
      }
    },
    async doStatus(options) {
      return readStatus(openCall(service, modelId, options), options.operation)
    },
  }
}

async function prepare(
  service: Service,
  modelId: string,
  options: VideoModelV4CallOptions,
): Promise<{ readonly call: Call; readonly drafts: readonly Draft[] }> {
  const call = openCall(service, modelId, options)
  const info = await readModel(call, MODEL_TYPE)
  const drafts = divide(info, options.n).map((n) => toVideoParameters(info, options, n))
  return { call, drafts }
}

async function readStatus(call: Call, operation: JSONValue): Promise<OperationStatusResult> {
  const { client, signal } = call
  const taskIds = toTaskIds(operation)
  try {
    const tasks = await Promise.all(taskIds.map((id) => client.get(id, { signal })))
    const failed = tasks.find(({ status }) => status === "failed")
    if (failed !== undefined) {
      const error = failed.error?.message ?? "The task failed."
      const metadata = { safelight: { taskIds, code: failed.error?.code ?? "internal_error" } }
      return { status: "error", error, providerMetadata: metadata, response: toResponse(call) }
    }
    if (tasks.some(({ status }) => status !== "succeeded")) {
      const progress = Math.min(...tasks.map((task) => task.progress))
      const metadata = { safelight: { taskIds, progress } }
      return { status: "pending", providerMetadata: metadata, response: toResponse(call) }
    }
    const { files, warnings } = await collectFiles(call, tasks, "video")
    return { status: "completed", ...toResult(call, files), warnings: [...warnings] }
  } catch (error) {
    throw toSdkError(error, call, { modelType: MODEL_TYPE, taskIds, isRead: true })
  }
}

function toTaskIds(operation: JSONValue): readonly string[] {
  const { taskIds } = (operation ?? {}) as { readonly taskIds?: unknown }
  const isRight = Array.isArray(taskIds) && taskIds.every((id) => typeof id === "string")
  if (isRight && taskIds.length > 0) return taskIds
  throw new InvalidArgumentError({
    argument: "operation",
    message: "operation: expected what doStart returned",
  })
}

function toResult(call: Call, files: Collected["files"]) {
  return {
    videos: files.map(({ bytes: data, mimeType: mediaType }) => {
      return { type: "binary" as const, data, mediaType }
    }),
    providerMetadata: { safelight: { videos: toMetadata(files) } },
    response: toResponse(call),
  }
}

function toResponse(call: Call) {
  return { timestamp: call.startedAt, modelId: call.modelId, headers: { ...call.answered() } }
}
