/**
 * A task as the specification shows it (§2.1), in the order of its table. Its text is put together by hand, since
 * this is what clients poll for; tests hold it to the schema and to `JSON.stringify`.
 */
import {
  FAILURE_CODES,
  isTerminal,
  textToImage,
  toStatus,
  toTaskFailure,
  toUnixSeconds,
  type Cancellation,
  type FailureType,
  type ListedPage,
  type ListPage,
  type Task,
  type TaskStatus,
} from "@safelight/core"
import * as v from "valibot"
import { createPublicPrefix, toTaskPath } from "../pipeline/addresses.ts"
import { defineBody, described, toWritten, type Written } from "./body.ts"
import { nextCursor, toPageText } from "./page.ts"
import { EXAMPLE_ID, taskId, unixTime, whole } from "./shapes.ts"

/** What a client sees of a task's state. */
export const STATUSES: readonly TaskStatus[] = ["queued", "running", "succeeded", "failed"]

const FAILURE_TYPES: readonly FailureType[] = [
  "generation_error",
  "content_policy_error",
  "invalid_request_error",
]

export const taskFailure = defineBody(
  "TaskFailure",
  toTaskFailure("media_unreadable"),
  {
    message: v.string(),
    type: v.picklist(FAILURE_TYPES),
    code: v.picklist(FAILURE_CODES),
  },
  "Why a task failed.",
)

const EXAMPLE = {
  task_id: EXAMPLE_ID,
  model: textToImage.id,
  status: "succeeded",
  progress: 100,
  created_at: 1_767_225_600,
  finished_at: 1_767_225_609,
  error: null,
  links: { self: toTaskPath(EXAMPLE_ID), artifacts: `${toTaskPath(EXAMPLE_ID)}/artifacts` },
} as const

export const task = defineBody("Task", EXAMPLE, {
  task_id: taskId,
  model: described(v.string(), "The model the task was created with."),
  status: described(
    v.picklist(STATUSES),
    "Poll until it is `succeeded` or `failed`; neither ever changes again.",
  ),
  progress: described(
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100)),
    "0 while queued, never falling, 100 exactly when succeeded.",
  ),
  created_at: unixTime,
  finished_at: described(whole, "Unix time in seconds; 0 while the task is unfinished."),
  error: v.nullable(taskFailure),
  links: v.object({
    self: described(v.string(), "`/v1/tasks/{task_id}`"),
    artifacts: described(v.string(), "`/v1/tasks/{task_id}/artifacts`"),
  }),
})

const LISTED_EXAMPLE = { ...EXAMPLE, prompt: "a lighthouse in fog" } as const

export const listedTask = defineBody("ListedTask", LISTED_EXAMPLE, {
  ...task.entries,
  prompt: v.optional(
    described(
      v.nullable(v.string()),
      "With `include=prompt` alone: the first 200 characters of the parameter `prompt`, or of `text`. Null once the " +
        "task's inputs are erased, of a request of more than 64 KiB, and of a model without such a parameter.",
    ),
  ),
})

export const taskList = defineBody(
  "TaskList",
  { tasks: [EXAMPLE], next_cursor: null },
  {
    tasks: described(
      v.array(listedTask),
      "Newest first; a page may be short, or even empty, before the last.",
    ),
    next_cursor: nextCursor,
  },
)

export const operatorTask = defineBody(
  "OperatorTask",
  { account: "acme", ...EXAMPLE },
  { account: v.string(), ...task.entries },
)

const OPERATOR_TASK_LIST_EXAMPLE = {
  tasks: [{ account: "acme", ...EXAMPLE }],
  next_cursor: null,
} as const

export const operatorTaskList = defineBody("OperatorTaskList", OPERATOR_TASK_LIST_EXAMPLE, {
  tasks: v.array(operatorTask),
  next_cursor: nextCursor,
})

const CANCELLATION_EXAMPLE = {
  outcome: "stopped",
  charge_micros: 0,
  charge_limit_micros: 0,
  task: {
    ...EXAMPLE,
    status: "failed",
    progress: 40,
    error: toTaskFailure("task_cancelled"),
  },
} as const

export const cancellation = defineBody("Cancellation", CANCELLATION_EXAMPLE, {
  outcome: described(
    v.picklist(["cancelled", "stopped", "too_late", "unknown"]),
    "`cancelled`: no provider had the task. `stopped`: its provider has stopped the work. `too_late`: the " +
      "task had ended, or its work is complete. `unknown`: the provider can't stop the work or does not " +
      "tell, and the task goes on; or nobody knows what came of its purchase, and it has failed.",
  ),
  charge_micros: described(
    v.nullable(whole),
    "What the task cost, in micro-units; null while it goes on.",
  ),
  charge_limit_micros: described(whole, "What it costs at most."),
  task,
})

/** What GET shows of a task, for messages that show it too; `publicUrl` as a handler is given it. */
export function createTaskText(publicUrl: () => string): (task: Task) => string {
  const prefix = createPublicPrefix(publicUrl)
  return (shown) => toTaskText(shown, prefix())
}

/** Times are whole seconds, floored. `prefix` precedes every path. */
export function toTaskText(shown: Task, prefix: string): Written<typeof task> {
  return toWritten(toText(shown, prefix))
}

function toText(shown: Task, prefix: string): string {
  const path = `${prefix}${toTaskPath(shown.id)}`
  return (
    `{"task_id":"${shown.id}","model":${JSON.stringify(shown.model)},"status":"${toStatus(shown)}",` +
    `"progress":${shown.progress},"created_at":${toUnixSeconds(shown.createdAt)},` +
    `"finished_at":${toUnixSeconds(shown.finishedAt)},"error":${toFailureText(shown)},` +
    `"links":{"self":"${path}","artifacts":"${path}/artifacts"}}`
  )
}

function toFailureText({ error }: Task): string {
  if (error === null) return "null"
  const { message, type, code } = error
  return JSON.stringify({ message, type, code })
}

export function toTaskListText(
  { next, prompts, tasks }: ListedPage,
  prefix: string,
): Written<typeof taskList> {
  const texts = tasks.map((each) => toText(each, prefix))
  const shown =
    prompts === undefined
      ? texts
      : texts.map((text, index) => {
          const prompt = prompts.get(tasks[index]?.id ?? "") ?? null
          return `${text.slice(0, -1)},"prompt":${JSON.stringify(prompt)}}`
        })
  return toWritten(toPageText("tasks", shown, next))
}

/** As its account sees it, and whose it is. */
export function toOperatorTaskText(shown: Task, prefix: string): Written<typeof operatorTask> {
  return toWritten(`{"account":${JSON.stringify(shown.account)},${toText(shown, prefix).slice(1)}`)
}

export function toOperatorTaskListText(
  { next, tasks }: ListPage,
  prefix: string,
): Written<typeof operatorTaskList> {
  const texts = tasks.map((each) => toOperatorTaskText(each, prefix))
  return toWritten(toPageText("tasks", texts, next))
}

export function toCancellationText(
  { outcome, task: shown }: Cancellation,
  prefix: string,
): Written<typeof cancellation> {
  const word = outcome === "too-late" ? "too_late" : outcome
  const charge = isTerminal(shown) ? shown.chargeMicros : null
  const limit = isTerminal(shown) ? shown.chargeMicros : shown.reservationMicros
  return toWritten(
    `{"outcome":"${word}","charge_micros":${charge},"charge_limit_micros":${limit},` +
      `"task":${toText(shown, prefix)}}`,
  )
}
