/** Examples of requests and answers, as a reader of the reference page meets them first. */
import { textToImage, imageEdit, referenceToVideo, toTaskFailure } from "@safelight/core"
import type { ResponseSchemaName } from "./response-schemas.ts"

/** One valid creation request a model, by the model's id. */
export const CREATION_EXAMPLES: ReadonlyMap<string, object> = new Map([
  [textToImage.id, { prompt: "A lighthouse in fog, seen from the sea", size: "landscape_16_9" }],
  [
    imageEdit.id,
    {
      prompt: "Make it night",
      image_urls: ["https://media.example/lighthouse.png"],
      output_format: "png",
      count: 2,
    },
  ],
  [
    referenceToVideo.id,
    {
      prompt: "The lamp turns slowly",
      image_urls: ["https://media.example/lighthouse.png"],
      resolution: "720p",
      duration: 6,
    },
  ],
])

const ID = "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081"
const PATH = `/v1/tasks/${ID}`

const TASK = {
  task_id: ID,
  model: textToImage.id,
  status: "succeeded",
  progress: 100,
  created_at: 1_767_225_600,
  finished_at: 1_767_225_609,
  error: null,
  links: { self: PATH, artifacts: `${PATH}/artifacts` },
}

const ARTIFACT = {
  key: "image_1",
  type: "image",
  mime_type: "image/png",
  content_url: `https://media.example${PATH}/artifacts/image_1/content`,
  expires_at: 1_768_435_209,
}

const { message, type, code } = toTaskFailure("media_unreadable")

/** One for each schema that an answer has as its body. */
export const RESPONSE_EXAMPLES: Readonly<Record<Exclude<ResponseSchemaName, "Error">, object>> = {
  Task: TASK,
  TaskFailure: { message, type, code },
  TaskList: { tasks: [TASK], next_cursor: null },
  Artifact: ARTIFACT,
  ArtifactList: { task_id: ID, artifacts: [ARTIFACT] },
  Liveness: { status: "ok" },
  Readiness: { status: "ready" },
}
