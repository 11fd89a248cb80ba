/** Examples of requests and answers, as a reader of the reference page meets them first. */
import { textToImage, imageEdit, referenceToVideo, toTaskFailure } from "@safelight/core"
import type { ResponseSchemaName } from "./response-schemas.ts"
import { OPERATOR_EXAMPLES } from "./operator-examples.ts"
import { WEBHOOK_EXAMPLES } from "./webhook-examples.ts"

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

const CANCELLATION = {
  outcome: "stopped",
  charge_micros: 0,
  charge_limit_micros: 0,
  task: {
    ...TASK,
    status: "failed",
    progress: 40,
    error: { ...toTaskFailure("task_cancelled") },
  },
}

const ARTIFACT = {
  key: "image_1",
  type: "image",
  mime_type: "image/png",
  content_url: `https://media.example${PATH}/artifacts/image_1/content`,
  expires_at: 1_768_435_209,
}

const LINK = {
  url: `${ARTIFACT.content_url}?access=v1.4fTq09Zx.1767312009.0.${"c2FtcGxl".repeat(5)}AAA`,
  expires_at: 1_767_312_009,
}

const CHARGE = {
  price_version: "default-1",
  charge_micros: 10_000,
}

const BEGAN_MS = 1_767_225_600_000

const EVENTS = [
  {
    version: 1,
    type: "submitted",
    at_ms: BEGAN_MS,
    model: textToImage.id,
    reserved_micros: 10_000,
    end_by_ms: BEGAN_MS + 3_600_000,
  },
  {
    version: 2,
    type: "dispatched",
    at_ms: BEGAN_MS + 4,
    attempt: 1,
    channel: "studio",
    because: "tier 1, 1 of 1 channels able",
  },
  { version: 3, type: "accepted", at_ms: BEGAN_MS + 9 },
  {
    version: 4,
    type: "succeeded",
    at_ms: BEGAN_MS + 9_000,
    charge_micros: 10_000,
    artifact_keys: ["image_1"],
  },
]

const TASK_USAGE = {
  task_id: ID,
  model: textToImage.id,
  status: "succeeded",
  labels: { project: "spring" },
  finished_at: 1_767_225_609,
  price: { per_image_micros: 10_000 },
  reserved_micros: 0,
  charge_limit_micros: 10_000,
  ...CHARGE,
  images_asked: 1,
  usage: { images: 1, output_video_ms: 0, input_videos_ms: [], billed_input_ms: 0 },
}

const USAGE_REPORT = {
  from: 1_767_225_600,
  to: 1_769_904_000,
  charge_micros: 10_000,
  tasks: 1,
  charges: [
    {
      model: textToImage.id,
      tasks: 1,
      images: 1,
      output_video_ms: 0,
      billed_input_ms: 0,
      ...CHARGE,
    },
  ],
  account: {
    budget_micros: 5_000_000,
    charged_micros: 10_000,
    reserved_micros: 0,
    unfinished_tasks: 0,
  },
}

const { message, type, code } = toTaskFailure("media_unreadable")

const BALANCE = {
  budget_micros: 5_000_000,
  reserved_micros: 600_000,
  spent_micros: 10_000,
  left_micros: 4_390_000,
}

const ME = {
  account: "default",
  key_id: "k3XUGqjZd0",
  scopes: ["tasks:read", "tasks:write"],
  expires_at: 0,
  max_retention_seconds: 2_592_000,
}

const VIDEO_PRICE = { per_video_second_micros: 100_000 }

const QUOTE = {
  quote: "1767229200.600000.default-1",
  valid_until: 1_767_229_200,
  model: referenceToVideo.id,
  max_cost_micros: 600_000,
  price_version: "default-1",
  price: VIDEO_PRICE,
  lines: [
    {
      item: "output_video",
      unit: "second",
      unit_price_micros: 100_000,
      duration_ms: 6_000,
      is_estimate: true,
    },
  ],
}

const MODEL = {
  model: textToImage.id,
  outputs: { type: "image", keys: "image_<n>" },
  media: [],
  limits: { body_bytes: 67_108_864, url_characters: 8_192, data_url_bytes: 20_971_520 },
  price_version: "default-1",
  price: { per_image_micros: 10_000 },
  parameters: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    required: ["prompt"],
    properties: { prompt: { type: "string", minLength: 1, maxLength: 10_000 } },
    additionalProperties: false,
  },
}

/** One for each schema that an answer has as its body. */
export const RESPONSE_EXAMPLES: Readonly<Record<Exclude<ResponseSchemaName, "Error">, object>> = {
  Task: TASK,
  TaskFailure: { message, type, code },
  TaskList: { tasks: [TASK], next_cursor: null },
  Cancellation: CANCELLATION,
  Artifact: ARTIFACT,
  ArtifactLink: LINK,
  ArtifactList: { task_id: ID, artifacts: [ARTIFACT] },
  EventList: { task_id: ID, events: EVENTS, next_cursor: null },
  TaskUsage: TASK_USAGE,
  UsageReport: USAGE_REPORT,
  Balance: BALANCE,
  Quote: QUOTE,
  ModelInfo: MODEL,
  ModelList: { models: [MODEL] },
  Me: ME,
  SignIn: { account: "default", key: "sl_live_…", expires_at: 1_769_821_200 },
  ...WEBHOOK_EXAMPLES,
  OperatorTask: { account: "acme", ...TASK },
  OperatorTaskList: { tasks: [{ account: "acme", ...TASK }], next_cursor: null },
  StoredEventList: {
    task_id: ID,
    events: [
      {
        at: 1_767_225_605_000,
        data: '{"progress":40}',
        hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        schema: 1,
        task: ID,
        type: "progressed",
        version: 4,
      },
    ],
    next_cursor: null,
  },
  ...OPERATOR_EXAMPLES,
  Liveness: { status: "ok" },
  Readiness: { status: "ready" },
}
