/**
 * ComfyUI: one host, no credentials, one prompt at a time. Queue and history are in memory alone: the fault
 * `restart` forgets both, while files stay. Every run counts as a purchase although it costs nothing, so that a
 * test sees a prompt that ran twice. Paths may begin with `/api`, as in newer versions.
 */
import { randomUUID } from "node:crypto"
import { isObject, type StubCall } from "../frame/stub-call.ts"
import { refuseWith, type StubContext, type StubDefinition } from "../frame/stub-definition.ts"
import { createJobs, type StubJobs } from "../frame/stub-jobs.ts"
import { openRoute, type StubHandler, type StubReply, type StubRoute } from "../frame/stub-route.ts"
import { findGraphErrors, toHistory, type Prompt, type PromptData } from "./comfyui-prompt.ts"
import { showNodes } from "./comfyui-nodes.ts"
import { createProgress, type ComfyProgress } from "./comfyui-progress.ts"

type Fields = Readonly<Record<string, unknown>>

interface ComfyState {
  readonly context: StubContext
  readonly jobs: StubJobs<PromptData>
  readonly progress: ComfyProgress
  /** The last run of each ID. */
  readonly runs: Map<string, Prompt>
  /** When the last prompt of the queue ends. */
  freeAt: number
  count: number
}

/**
 * `restart` forgets queue and history at the next request, `cached` runs nothing and writes nothing,
 * `node-errors` refuses the graph, `out-of-memory` fails in a node, `socket-dropped` cuts every
 * WebSocket at its first event, `interrupts-another` interrupts whatever runs.
 */
const OWN_FAULTS = [
  "restart",
  "cached",
  "node-errors",
  "out-of-memory",
  "socket-dropped",
  "interrupts-another",
]

const refuse = refuseWith({
  unauthorized: { status: 401 },
  "not-found": { status: 404, text: "404: Not Found" },
  malformed: { status: 400, json: { error: { type: "no_prompt", message: "No prompt provided" } } },
  "too-large": { status: 413, text: "413: Payload Too Large" },
  broken: { status: 500, text: "500 Internal Server Error" },
  busy: { status: 429, text: "429: Too Many Requests" },
})

export const COMFYUI: StubDefinition = {
  hosts: ["api"],
  filesHost: "api",
  ownFaults: OWN_FAULTS,
  isAuthorized: () => true,
  refuse,
  createRoutes(context) {
    const progress = createProgress(context)
    const jobs = createJobs<PromptData>(context)
    const state: ComfyState = { context, jobs, progress, runs: new Map(), freeAt: 0, count: 0 }
    const after =
      (handle: StubHandler): StubHandler =>
      (call) => {
        if (context.strikes("restart")) restart(state)
        return handle(call)
      }
    return toRoutes(state).map((each) => ({ ...each, handle: after(each.handle) }))
  },
}

function toRoutes(state: ComfyState): StubRoute[] {
  const { context } = state
  return [
    openRoute("create", "POST /prompt", (call) => enqueue(state, call)),
    openRoute("poll", "GET /queue", () => ({ json: showQueue(state) })),
    openRoute("other", "POST /queue", (call) => changeQueue(state, call)),
    openRoute("poll", "GET /history", () => ({ json: showHistory(state) })),
    openRoute("poll", "GET /history/{id}", ({ params }) => ({
      json: showHistory(state, params["id"]),
    })),
    openRoute("other", "POST /interrupt", (call) => interrupt(state, call)),
    openRoute("download", "GET /view", (call) => {
      return context.files.serve(call, call.query.get("filename") ?? "") ?? refuse("not-found")
    }),
    openRoute("other", "POST /upload/image", async (call) => {
      const image = (await call.form()).get("image")
      if (image === null || typeof image === "string") return { status: 400 }
      const bytes = Buffer.from(await image.arrayBuffer())
      const { name } = context.files.keep(image.name, image.type, bytes)
      return { json: { name, subfolder: "", type: "input" } }
    }),
    openRoute("other", "GET /object_info", () => ({ json: showNodes() })),
    openRoute("other", "GET /object_info/{class}", ({ params }) => ({
      json: showNodes(params["class"]),
    })),
    openRoute("other", "GET /system_stats", () => ({
      json: { system: { comfyui_version: "0.21.0", os: "posix" }, devices: [] },
    })),
  ]
}

function restart(state: ComfyState): void {
  for (const job of state.jobs.all.values()) {
    state.jobs.cancel(job)
    state.jobs.remove(job)
  }
  state.runs.clear()
  state.freeAt = 0
}

function enqueue(state: ComfyState, call: StubCall): StubReply {
  const { context, jobs, runs, progress } = state
  const { prompt: graph, prompt_id: given, client_id: client, extra_data: extra } = call.fields()
  const nodeErrors = context.strikes("node-errors") ? {} : findGraphErrors(graph)
  if (nodeErrors !== undefined || !isObject(graph)) return toGraphError(nodeErrors ?? {})
  const promptId = typeof given === "string" ? given : randomUUID()
  const number = (state.count += 1)
  const prompt = jobs.open(randomUUID(), {
    promptId,
    number,
    graph,
    extra: isObject(extra) ? extra : {},
    clientId: typeof client === "string" ? client : null,
    isFailing: context.strikes("out-of-memory"),
    isCached: context.strikes("cached"),
  })
  const runMs = prompt.endAt - prompt.startAt
  prompt.startAt = Math.max(prompt.startAt, state.freeAt)
  state.freeAt = prompt.endAt = prompt.startAt + runMs
  runs.set(promptId, prompt)
  context.record({
    id: promptId,
    key: typeof given === "string" ? given : null,
    endpoint: "prompt",
    body: graph,
  })
  progress.follow(prompt)
  return { json: { prompt_id: promptId, number, node_errors: {} } }
}

function toGraphError(nodeErrors: Fields): StubReply {
  const error = {
    type: "prompt_outputs_failed_validation",
    message: "Prompt outputs failed validation",
    details: "",
    extra_info: {},
  }
  return { status: 400, json: { error, node_errors: nodeErrors } }
}

function showQueue({ jobs }: ComfyState): Fields {
  const rows = (phase: string): unknown[] =>
    [...jobs.all.values()]
      .filter((job) => jobs.phaseOf(job) === phase)
      .map(({ data }) => [data.number, data.promptId, data.graph, data.extra, []])
  return { queue_running: rows("running"), queue_pending: rows("queued") }
}

/** A prompt that was deleted before it ran is in no history. */
function showHistory({ context, jobs, runs }: ComfyState, id?: string): Fields {
  const over = [...runs.values()].filter((run) => {
    const wasRunning = run.cancelledAt !== null && run.cancelledAt >= run.startAt
    return jobs.phaseOf(run) === "finished" || wasRunning
  })
  return Object.fromEntries(
    over
      .filter(({ data }) => id === undefined || data.promptId === id)
      .map((run) => [run.data.promptId, toHistory(context, run, run.cancelledAt !== null)]),
  )
}

function changeQueue({ jobs }: ComfyState, call: StubCall): StubReply {
  const { delete: ids, clear } = call.fields()
  for (const job of jobs.all.values()) {
    const isNamed = Array.isArray(ids) && ids.includes(job.data.promptId)
    if ((isNamed || clear === true) && jobs.phaseOf(job) === "queued") jobs.cancel(job)
  }
  return {}
}

/** Interrupts the named prompt if it is running; without a name, whichever prompt is running. */
function interrupt({ context, jobs }: ComfyState, call: StubCall): StubReply {
  const { prompt_id: id } = call.bytes.length === 0 ? {} : call.fields()
  const isAnother = context.strikes("interrupts-another")
  for (const job of jobs.all.values()) {
    const isMeant = isAnother || id === undefined || id === job.data.promptId
    if (isMeant && jobs.phaseOf(job) === "running") jobs.cancel(job)
  }
  return {}
}
