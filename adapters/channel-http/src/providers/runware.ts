/**
 * Runware: every request is a list of tasks to one path. A task is found by the UUID that we chose for it; an
 * error that says that the UUID is in use proves that the task exists. Running and finished tasks are asked
 * about apart: only a task that is among neither was never made.
 */
import {
  referenceToVideo,
  textToImage,
  type FailureCode,
  type Json,
  type PollOutcome,
  type Refused,
} from "@safelight/core"
import { unavailable } from "../channel-fault.ts"
import { defineProvider, type CreateOutcome, type Reply } from "../provider.ts"
import { at, listAt, readTurnedAway, textAt, toRefused, toToldCost } from "../read-reply.ts"
import { runwareFilm, runwarePicture, toTaskId } from "./runware-tasks.ts"

const POLL_AFTER_MS = 2_000
const SUBMIT_MS = 60_000

/** How long after its acceptance a task can be found is not documented: a wide guess. */
const LIST_LAG_MS = 300_000

/** About running tasks, and about finished ones. */
const QUESTIONS: readonly string[] = ["getResponse", "getTaskDetails"]

const FAILURES: Readonly<Record<string, FailureCode>> = {
  contentModeration: "content_policy_violation",
  invalidProviderContent: "content_policy_violation",
}

function toRefusal(error: Json): Refused {
  const code = FAILURES[textAt(error, "code") ?? ""] ?? "provider_rejected"
  return toRefused(code, textAt(error, "message"))
}

function readRejection(error: Json | undefined): CreateOutcome | undefined {
  const code = textAt(error, "code")
  if (error === undefined || code === undefined) return undefined
  if (code !== "conflictTaskUUID") return toRefusal(error)
  const id = textAt(error, "taskUUID")
  return id === undefined ? undefined : { kind: "accepted", operation: { id } }
}

/** A failed task is answered with a 400. */
function isAnswer({ status }: Reply): boolean {
  return status === 200 || status === 400
}

/** An error about the question is not the end of the task. */
function isAboutQuestion(item: Json): boolean {
  const type = textAt(item, "taskType") ?? ""
  return textAt(item, "code") === "unknownTaskUUID" || QUESTIONS.includes(type)
}

/** The parts of an answer that are about one task: its results, and its failures. */
function findResults({ json }: Reply, id: string): readonly [results: Json[], failures: Json[]] {
  const isOwn = (item: Json) => textAt(item, "taskUUID") === id
  const failures = listAt(json, "errors").filter(
    (item) => isOwn(item) && textAt(item, "status") === "error" && !isAboutQuestion(item),
  )
  return [listAt(json, "data").filter(isOwn), failures]
}

function readResults(results: readonly Json[], failures: readonly Json[]): PollOutcome | undefined {
  const states = results.map((item) => textAt(item, "status"))
  if (states.includes("processing")) return { kind: "running", pollAfterMs: POLL_AFTER_MS }
  if (!states.every((state) => state === "success")) return undefined
  const [failure] = failures
  if (results.length === 0) return failure === undefined ? undefined : toRefusal(failure)
  const shown = results.filter((item) => at(item, "NSFWContent") !== true)
  if (shown.length === 0) return { kind: "refused", code: "content_policy_violation" }
  const urls = shown.flatMap((item) => textAt(item, "imageURL") ?? textAt(item, "videoURL") ?? [])
  return { kind: "completed", outputs: urls.map((url) => ({ url })) }
}

export const runware = defineProvider({
  name: "runware",
  baseUrl: "https://api.runware.ai",
  keyVariable: "RUNWARE_API_KEY",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  outputHosts: ["*.runware.ai"],
  // The details of a finished task hold its request.
  answersHoldMedia: true,
  submission: { kind: "lookup", longestRequestMs: 2 * SUBMIT_MS, listLagMs: LIST_LAG_MS },
  concurrency: 8,
  submitTimeoutMs: SUBMIT_MS,
  models: { [textToImage.id]: runwarePicture, [referenceToVideo.id]: runwareFilm },
  readCreate(reply) {
    const { json, status } = reply
    const accepted = textAt(json, "data", 0, "taskUUID")
    if (status === 200 && accepted !== undefined) {
      return { kind: "accepted", operation: { id: accepted } }
    }
    return status === 400 ? readRejection(listAt(json, "errors")[0]) : readTurnedAway(reply)
  },
  outOfMoney: /^insufficientCredits$/,
  webhook: {
    scheme: { kind: "none" },
    addTo: (request, { url }) => ({
      ...request,
      json: listAt(request.json).map((task) => ({ ...(task as object), webhookURL: url })),
    }),
  },
  async poll(operation, send) {
    const id = textAt(operation, "id") ?? ""
    const json = [{ taskType: "getResponse", taskUUID: id }]
    const reply = await send({ method: "POST", path: "/v1", json })
    return isAnswer(reply) ? readResults(...findResults(reply, id)) : undefined
  },
  readCost(reply, operation) {
    const [results] = reply === undefined ? [[]] : findResults(reply, textAt(operation, "id") ?? "")
    const costs = results.flatMap((item) => at(item, "cost") ?? [])
    const isTold = costs.length > 0 && costs.every((each) => typeof each === "number")
    return isTold
      ? toToldCost(
          costs.reduce((sum, each) => sum + each, 0),
          "usd",
        )
      : undefined
  },
  async find({ key }, send) {
    const id = toTaskId(key)
    const json = QUESTIONS.map((taskType) => ({ taskType, taskUUID: id }))
    const reply = await send({ method: "POST", path: "/v1", json })
    if (findResults(reply, id).some((found) => found.length > 0)) return { operation: { id } }
    const unknown = listAt(reply.json, "errors").filter(
      (item) => textAt(item, "code") === "unknownTaskUUID" && textAt(item, "taskUUID") === id,
    )
    const asked = new Set(unknown.map((item) => textAt(item, "taskType")))
    if (isAnswer(reply) && QUESTIONS.every((taskType) => asked.has(taskType))) return null
    throw unavailable("runware does not say whether it has a task")
  },
})
