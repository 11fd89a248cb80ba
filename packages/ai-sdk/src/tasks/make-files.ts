/** From parameters to files: what `doGenerate` does for images and for videos. */
import type { Call } from "../calls/open-call.ts"
import { toSdkError, type ModelType } from "../calls/to-sdk-error.ts"
import { MAKES } from "../calls/read-model.ts"
import type { Draft } from "@safelight/client/parameters"
import { collectFiles, type Collected } from "./collect-files.ts"
import { submitTasks, waitForTasks } from "./submit-tasks.ts"

/** Rejects with an error of the SDK, or with the reason of the caller's signal. */
export async function makeFiles(
  call: Call,
  modelType: ModelType,
  drafts: readonly Draft[],
): Promise<Collected> {
  const requests = drafts.map((draft) => toRequest(call, draft))
  const tasks = await submitTasks(call, modelType, requests)
  try {
    const finished = await waitForTasks(call, tasks)
    const { files, warnings } = await collectFiles(call, finished, MAKES[modelType])
    // All tasks of a call have the same options.
    return { files, warnings: [...(drafts[0]?.warnings ?? []), ...warnings] }
  } catch (error) {
    const taskIds = tasks.map(({ task_id: id }) => id)
    throw toSdkError(error, call, { modelType, parameters: requests[0], taskIds })
  }
}

/** What the caller names by the model's own names wins. */
export function toRequest(
  { options }: Call,
  { parameters }: Draft,
): Readonly<Record<string, unknown>> {
  return { ...parameters, ...options.parameters }
}
