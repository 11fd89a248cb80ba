/**
 * Reads of tasks for a front end. An account sees only its own tasks: another account's task is answered as one
 * that does not exist.
 */
import {
  billedInputMs,
  coversFactors,
  currentPrices,
  findFactors,
  findPrice,
  openEvent,
  toArtifacts,
  toEventPage,
  type ChangeService,
  type FoundArtifacts,
  type ListResult,
  type ListTasksRequest,
  type StreamHead,
  type Task,
  type TaskRequest,
  type TaskService,
  type TaskUsage,
} from "@safelight/core"
import { eraseInputs } from "../media/video-copies.ts"
import { countImagesAsked } from "./images-asked.ts"
import { findTaskAt, toChanges } from "./task-changes.ts"
import type { Context } from "../host/context.ts"
import { createBalanceReader } from "./balance.ts"
import { readPrompts } from "./prompts.ts"
import { openArtifact } from "./open-artifact.ts"

export interface TaskReads
  extends
    Omit<
      TaskService,
      "cancel" | "finished" | "holdArtifacts" | "listUnavailable" | "quote" | "submit"
    >,
    Pick<ChangeService, "findTaskAt" | "listChanges"> {
  erase(request: TaskRequest): Promise<boolean>
}

export function createReads(context: Context): TaskReads {
  const { prices, storage } = context

  /** The account's own task. */
  async function find({ account, id }: TaskRequest): Promise<StreamHead | undefined> {
    const head = await storage.readTask(id)
    return head?.task.account === account ? head : undefined
  }

  return {
    findTask: async (request) => (await find(request))?.task,
    listTasks: (request) => listTasks(context, request),
    async findArtifacts(request) {
      const head = await find(request)
      return head && toFoundArtifacts(head.task)
    },
    async findLinked(id) {
      const head = await storage.readTask(id)
      return head && toFoundArtifacts(head.task)
    },
    async listEvents({ after = 0, limit = Number.MAX_SAFE_INTEGER - 1, ...request }) {
      if ((await find(request)) === undefined) return undefined
      const stored = await storage.readEvents(request.id, { after, limit: limit + 1 })
      const { events, next } = toEventPage(stored, limit)
      return { events: events.map(openEvent), next }
    },
    ...createChangeReads(storage, find),
    async findUsage(request) {
      const task = (await find(request))?.task
      return task && toTaskUsage(context, task)
    },
    /** A task is billed in the period in which it finished, whenever it was submitted. */
    async sumUsage(request) {
      const [charges, totals, account] = await Promise.all([
        storage.sumCharges(request),
        storage.readTotals(request.account),
        storage.findAccount(request.account),
      ])
      return { charges, totals, budgetMicros: account?.budgetMicros ?? null }
    },
    readBalance: createBalanceReader(context),
    currentPrices: () => currentPrices(prices),
    openArtifact: (request) => openArtifact(context, request),
    erase: async (request) =>
      (await find(request)) !== undefined && eraseInputs(context, request.id),
  }
}

function toFoundArtifacts(task: Task): FoundArtifacts {
  return { task, artifacts: toArtifacts(task) }
}

async function toTaskUsage(context: Context, task: Task): Promise<TaskUsage> {
  const price = findPrice(context.prices, task.priceVersion, task.model)
  await context.taskModels.find(task)
  const isCovered = coversFactors(price?.factors, task.parameters)
  return {
    task,
    labels: await context.storage.readLabels(task.id),
    price,
    factors: isCovered ? findFactors(price?.factors, task.parameters) : [],
    billedInputMs: billedInputMs(task.usage?.inputVideosMs ?? []),
    imagesAsked: countImagesAsked(context, task),
  }
}

async function listTasks(
  { models, storage }: Context,
  request: ListTasksRequest,
): Promise<ListResult> {
  const { model } = request
  // An unknown model is an error and not an empty list: a caller that checks whether its task was made must not
  // read "no" because of a typing error.
  if (model !== undefined && !models.has(model)) {
    return { kind: "unknown-model", models: [...models.keys()] }
  }
  const page = await storage.listTasks(request)
  if (request.withPrompts !== true) return { kind: "listed", ...page }
  const ids = page.tasks.map(({ id }) => id)
  return { kind: "listed", ...page, prompts: await readPrompts(storage, ids) }
}

function createChangeReads(
  storage: Context["storage"],
  find: (request: TaskRequest) => Promise<StreamHead | undefined>,
): Pick<TaskReads, "findTaskAt" | "listChanges"> {
  return {
    async listChanges({ after, ...request }) {
      const found = await find(request)
      return found && toChanges(request.id, await storage.readEvents(request.id), after)
    },
    async findTaskAt({ version, ...request }) {
      const found = await find(request)
      return found && findTaskAt(storage, found, version)
    },
  }
}
