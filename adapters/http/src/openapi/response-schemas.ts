/**
 * The JSON bodies that are answered, declared once: the document is made from these schemas and
 * the tests check every answer by them. They tolerate unknown members, as a client should, for
 * bodies may grow.
 */
import {
  API_KEY_SCOPES,
  EVENT_TYPES,
  FAILURE_CODES,
  type FailureType,
  type TaskStatus,
} from "@safelight/core"
import * as v from "valibot"
import { MAX_DETAILS } from "../errors/error-response.ts"
import { ERROR_CODES, ERRORS } from "../errors/error-table.ts"
import { balance, modelInfo, modelList, price, quote, whole } from "./price-schemas.ts"
import { OPERATOR_SCHEMAS } from "./operator-schemas.ts"
import { WEBHOOK_SCHEMAS } from "./webhook-schemas.ts"

const FAILURE_TYPES: readonly FailureType[] = [
  "generation_error",
  "content_policy_error",
  "invalid_request_error",
]
const ERROR_TYPES = [...new Set(ERROR_CODES.map((code) => ERRORS[code][1]))]

/** What a client sees of a task's state. */
export const STATUSES: readonly TaskStatus[] = ["queued", "running", "succeeded", "failed"]

const unixSeconds = whole

const taskFailure = v.pipe(
  v.object({
    message: v.string(),
    type: v.picklist(FAILURE_TYPES),
    code: v.picklist(FAILURE_CODES),
  }),
  v.description("Why a task failed."),
)

const task = v.object({
  task_id: v.pipe(v.string(), v.uuid()),
  model: v.pipe(v.string(), v.description("The model the task was created with.")),
  status: v.pipe(
    v.picklist(STATUSES),
    v.description("Poll until it is `succeeded` or `failed`; neither ever changes again."),
  ),
  progress: v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(100),
    v.description("0 while queued, never falling, 100 exactly when succeeded."),
  ),
  created_at: v.pipe(unixSeconds, v.description("Unix time in seconds.")),
  finished_at: v.pipe(
    unixSeconds,
    v.description("Unix time in seconds; 0 while the task is unfinished."),
  ),
  error: v.nullable(taskFailure),
  links: v.object({
    self: v.pipe(v.string(), v.description("`/v1/tasks/{task_id}`")),
    artifacts: v.pipe(v.string(), v.description("`/v1/tasks/{task_id}/artifacts`")),
  }),
})

const taskList = v.object({
  tasks: v.pipe(
    v.array(task),
    v.description("Newest first; a page may be short, or even empty, before the last."),
  ),
  next_cursor: v.pipe(
    v.nullable(v.string()),
    v.description("What `cursor` takes to go on; null at the end of the list."),
  ),
})

const operatorTask = v.object({ account: v.string(), ...task.entries })

const storedEventList = v.object({
  task_id: v.string(),
  events: v.array(
    v.object({
      at: v.pipe(whole, v.description("Milliseconds since the Unix epoch.")),
      data: v.pipe(v.string(), v.description("Canonical JSON, as it is hashed.")),
      hash: v.pipe(v.string(), v.description("64 lower-case hexadecimal digits.")),
      schema: whole,
      task: v.string(),
      type: v.string(),
      version: v.pipe(whole, v.description("1, 2, 3… within the task.")),
    }),
  ),
  next_cursor: v.nullable(v.string()),
})

const artifact = v.object({
  key: v.pipe(v.string(), v.description("`image_1`, `image_2`, … in order, or `video`.")),
  type: v.picklist(["image", "video"]),
  mime_type: v.string(),
  content_url: v.pipe(
    v.string(),
    v.url(),
    v.description(
      "Where the bytes are, for who has the API key. With `access` in it, for whoever has the " +
        "address, for a day: keep it private.",
    ),
  ),
  expires_at: v.optional(
    v.pipe(
      unixSeconds,
      v.description(
        "Unix time in seconds, from which on the bytes are gone for good; some are listed without.",
      ),
    ),
  ),
})

const artifactLink = v.object({
  url: v.pipe(
    v.string(),
    v.url(),
    v.description("Opens the artifact for whoever has it, without a key: keep it private."),
  ),
  expires_at: v.pipe(
    unixSeconds,
    v.description("Unix time in seconds, from which on it opens nothing."),
  ),
})

const artifactList = v.object({
  task_id: v.pipe(v.string(), v.uuid()),
  artifacts: v.pipe(
    v.array(artifact),
    v.description("In order, expired ones too; empty where the task failed."),
  ),
})

const micros = whole

const cancellation = v.object({
  outcome: v.pipe(
    v.picklist(["cancelled", "stopped", "too_late", "unknown"]),
    v.description(
      "`cancelled`: no provider had the task. `stopped`: its provider has stopped the work. `too_late`: the " +
        "task had ended, or its work is complete. `unknown`: the provider can't stop the work or does not " +
        "tell, and the task goes on; or nobody knows what came of its purchase, and it has failed.",
    ),
  ),
  charge_micros: v.pipe(
    v.nullable(micros),
    v.description("What the task cost, in micro-units; null while it goes on."),
  ),
  charge_limit_micros: v.pipe(micros, v.description("What it costs at most.")),
  task,
})

const count = whole
const durationMs = whole
const unixMs = v.pipe(whole, v.description("Unix milliseconds."))

const taskEvent = v.object({
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.description("Its place in the log.")),
  type: v.picklist(EVENT_TYPES),
  at_ms: unixMs,
  model: v.optional(v.string()),
  reserved_micros: v.optional(micros),
  end_by_ms: v.optional(v.pipe(unixMs, v.description("By then the task has ended."))),
  attempt: v.optional(v.pipe(count, v.description("From 1; a repeat after a doubt is one, too."))),
  channel: v.optional(v.pipe(v.string(), v.description("Which one was asked."))),
  because: v.optional(v.pipe(v.string(), v.description("Why that one, for people."))),
  reason: v.optional(v.pipe(v.string(), v.description("What was seen, as a short code."))),
  retry_at_ms: v.optional(unixMs),
  until_ms: v.optional(v.pipe(unixMs, v.description("Artifacts are kept until then, or longer."))),
  progress: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(99))),
  charge_micros: v.optional(micros),
  artifact_keys: v.optional(v.array(v.string())),
  error: v.optional(taskFailure),
})

const eventList = v.object({
  task_id: v.pipe(v.string(), v.uuid()),
  events: v.pipe(v.array(taskEvent), v.description("Oldest first.")),
  next_cursor: v.nullable(v.string()),
})

const taskUsage = v.object({
  task_id: v.pipe(v.string(), v.uuid()),
  model: v.string(),
  status: v.picklist(STATUSES),
  labels: v.pipe(
    v.record(v.string(), v.string()),
    v.description("By key, as submitted; none once the task was erased."),
  ),
  finished_at: v.pipe(unixSeconds, v.description("0 while the task is unfinished.")),
  price_version: v.pipe(v.string(), v.description("The prices it was accepted under.")),
  price: v.pipe(
    v.nullable(price),
    v.description("Micro-units of the account's currency; null where no longer known."),
  ),
  reserved_micros: v.pipe(micros, v.description("Held back until the task is finished, then 0.")),
  charge_micros: v.pipe(micros, v.description("What it cost, in micro-units.")),
  charge_limit_micros: v.pipe(
    micros,
    v.description("What was reserved for it at first: it costs at most that, whatever was used."),
  ),
  images_asked: v.pipe(
    v.nullable(count),
    v.description(
      "Pictures that the task is to make. If one can't be had, it succeeds with the others and is " +
        "charged for those: `usage` has fewer. Null of a film, or where it is no longer known.",
    ),
  ),
  usage: v.pipe(
    v.nullable(
      v.object({
        images: count,
        output_video_ms: v.pipe(durationMs, v.description("Measured.")),
        input_videos_ms: v.pipe(v.array(durationMs), v.description("Measured, in their order.")),
        billed_input_ms: v.pipe(durationMs, v.description("As charged, all of them together.")),
      }),
    ),
    v.description("Null where nothing was used, or not yet."),
  ),
})

const usageReport = v.object({
  from: v.pipe(unixSeconds, v.description("Inclusive.")),
  to: v.pipe(unixSeconds, v.description("Exclusive.")),
  charge_micros: v.pipe(micros, v.description("Of the tasks that finished in the period.")),
  tasks: v.pipe(count, v.description("Those of them that used something.")),
  charges: v.array(
    v.object({
      model: v.string(),
      price_version: v.string(),
      tasks: count,
      images: count,
      output_video_ms: durationMs,
      billed_input_ms: durationMs,
      charge_micros: micros,
    }),
  ),
  account: v.pipe(
    v.object({
      budget_micros: v.pipe(v.nullable(micros), v.description("Null where there is none.")),
      charged_micros: v.pipe(micros, v.description("Of all finished tasks.")),
      reserved_micros: v.pipe(micros, v.description("Held back for unfinished tasks.")),
      unfinished_tasks: count,
    }),
    v.description("As it stands now, whatever the period."),
  ),
})

const error = v.object({
  error: v.object({
    message: v.pipe(v.string(), v.description("For people; decide by `code`.")),
    type: v.picklist(ERROR_TYPES),
    code: v.picklist(ERROR_CODES),
    param: v.optional(
      v.pipe(v.string(), v.description("Present where exactly one parameter is at fault.")),
    ),
    details: v.optional(
      v.pipe(
        v.array(
          v.object({ param: v.string(), code: v.picklist(ERROR_CODES), message: v.string() }),
        ),
        v.maxLength(MAX_DETAILS),
        v.description("Present where several parameters are at fault."),
      ),
    ),
  }),
})

const me = v.object({
  account: v.string(),
  key_id: v.pipe(v.string(), v.description("Names the key; it is no secret.")),
  scopes: v.array(v.picklist(API_KEY_SCOPES)),
  expires_at: v.pipe(unixSeconds, v.description("Unix time in seconds; 0 if the key has no end.")),
  max_retention_seconds: v.pipe(
    count,
    v.description("How long the account may hold artifacts, from their task's end; 0: not at all."),
  ),
})

const signIn = v.object({
  account: v.string(),
  key: v.pipe(v.string(), v.description("A secret: whoever has it acts for the account.")),
  expires_at: v.pipe(unixSeconds, v.description("Unix time in seconds.")),
})

const liveness = v.object({ status: v.literal("ok") })
const readiness = v.object({ status: v.literal("ready") })

/** By the name they have in the document. */
export const RESPONSE_SCHEMAS = {
  Task: task,
  TaskFailure: taskFailure,
  TaskList: taskList,
  Cancellation: cancellation,
  Artifact: artifact,
  ArtifactLink: artifactLink,
  ArtifactList: artifactList,
  EventList: eventList,
  TaskUsage: taskUsage,
  UsageReport: usageReport,
  Balance: balance,
  Quote: quote,
  ModelInfo: modelInfo,
  ModelList: modelList,
  Me: me,
  SignIn: signIn,
  ...WEBHOOK_SCHEMAS,
  ...OPERATOR_SCHEMAS,
  OperatorTask: operatorTask,
  OperatorTaskList: v.object({
    tasks: v.array(operatorTask),
    next_cursor: v.nullable(v.string()),
  }),
  StoredEventList: storedEventList,
  Error: error,
  Liveness: liveness,
  Readiness: readiness,
} as const

export type ResponseSchemaName = keyof typeof RESPONSE_SCHEMAS
