/**
 * The tools that make media, one for each type that the service serves: they buy a task, wait for it, and answer
 * with what it made. A call that is cancelled has its task cancelled; a caller who merely leaves cancels nothing.
 */
import { setTimeout as wait } from "node:timers/promises"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { jsonText, isApiError, type ClientTask, type ModelInfo } from "@safelight/client"
import { DEFAULTS } from "../settings/defaults.ts"
import { toModelInput, WAIT_SECONDS } from "../models/input-schema.ts"
import { toCallLabels } from "../purchases/call-key.ts"
import { listTools, MEDIA_TOOLS, type MediaTool } from "../models/media-tools.ts"
import { toTaskResult } from "../results/task-result.ts"
import { fault, readCount, readObject, readText, requireKnown } from "./read-arguments.ts"
import type { Tool, ToolCall } from "./tool.ts"
import { waitForTask } from "./wait-for-task.ts"

const WORDS: Readonly<Record<MediaTool, readonly [title: string, does: string]>> = {
  generate_image: ["Generate images", "Makes images from a prompt."],
  edit_image: ["Edit images", "Makes images from images and a prompt."],
  generate_video: ["Generate a video", "Makes a video."],
  generate_audio: ["Generate audio", "Makes sound: speech, music or effects."],
  generate_text: ["Generate text", "Makes a text about media or from a prompt."],
  generate_3d: ["Generate a 3D model", "Makes a 3D model."],
}

const COSTS = "It costs money: quote tells how much."

export const mediaTools: readonly Tool[] = MEDIA_TOOLS.map(toTool)

function toTool(name: MediaTool): Tool {
  const [title, does] = WORDS[name]
  return {
    name,
    list(models) {
      const own = models.filter((model) => listTools(model).includes(name))
      if (own.length === 0) return undefined
      const { properties, required } = toModelInput(own)
      return {
        title,
        description: `${does} ${COSTS}`,
        inputSchema: {
          type: "object",
          properties: { ...properties, wait_seconds: WAIT_SECONDS },
          required,
          additionalProperties: false,
        },
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
      }
    },
    run: (call) => make(name, call),
  }
}

async function make(name: MediaTool, call: ToolCall): Promise<CallToolResult> {
  const { given } = call
  requireKnown(given, ["model", "parameters", "wait_seconds"])
  const model = readText(given, "model")
  const parameters = readObject(given, "parameters")
  const { longestWaitSeconds: longest, waitSeconds: byDefault } = DEFAULTS
  const seconds = readCount(given, "wait_seconds", longest, byDefault)
  requireMaker(name, await call.client.model(model, { signal: call.signal }))
  const task = await buy(call, model, parameters)
  try {
    return await toTaskResult(call, await waitForTask(call, task, seconds))
  } catch (error) {
    if (call.isCancelled()) await cancel(call, task)
    throw error
  }
}

function requireMaker(name: MediaTool, model: ModelInfo): void {
  const tools = listTools(model)
  if (tools.includes(name)) return
  const message = `${name} does not make ${model.model}: ${tools.join(" or ")} does.`
  throw fault("model", "invalid_value", message)
}

/** The signal does not reach the submission: whoever cancels it meanwhile has the task cancelled afterwards. */
async function buy(
  call: ToolCall,
  model: string,
  parameters: Record<string, unknown>,
): Promise<ClientTask> {
  const { client, key, maxCostMicros, signal, spending } = call
  const text = jsonText(JSON.stringify(parameters))
  forget(parameters)
  const named = { idempotencyKey: key, labels: toCallLabels(key) }
  if (spending.limitMicros === undefined) {
    signal.throwIfAborted()
    return client.submit(model, text, { ...named, maxCostMicros })
  }
  const { max_cost_micros: mostMicros } = await client.quote(model, text, { signal })
  signal.throwIfAborted()
  const reservation = spending.reserve(key, mostMicros)
  try {
    const most = Math.min(mostMicros, maxCostMicros ?? mostMicros)
    const task = await client.submit(model, text, { ...named, maxCostMicros: most })
    reservation.bought(task.task_id)
    return task
  } catch (error) {
    const isUnknown = isApiError(error) && error.code === "outcome_unknown"
    if (!isUnknown) reservation.release()
    throw error
  }
}

/** The protocol's library keeps a request until it is answered, and media in it may have megabytes. */
function forget(parameters: Record<string, unknown>): void {
  for (const name of Object.keys(parameters)) delete parameters[name]
}

/**
 * Nobody sees the answer, so an outcome of `unknown`, as of a purchase whose work has not begun yet, is asked again
 * for some seconds. The service's log tells of work that goes on.
 */
async function cancel(call: ToolCall, { task_id: id }: ClientTask): Promise<void> {
  const { client, onError, spending, stopping } = call
  try {
    for (const pauseMs of [0, ...DEFAULTS.cancelPausesMs]) {
      await wait(pauseMs, undefined, { signal: stopping })
      const { charge_micros: chargeMicros, outcome } = await client.cancel(id)
      if (chargeMicros !== null) spending.settle(id, chargeMicros)
      if (chargeMicros !== null || outcome !== "unknown") return
    }
  } catch (cause) {
    onError(new Error(`a call was cancelled, and its task ${id} may go on`, { cause }))
  }
}
