/**
 * A channel for the operator's own ComfyUI server: a workflow for each public model, filled with a task's
 * parameters and sent with an id of ours. The server keeps its queue and history in memory alone. A prompt in
 * neither is lost and is made again, which costs no money on the operator's own machine.
 */
import { readFile } from "node:fs/promises"
import {
  createSecretHider,
  SafelightError,
  type Channel,
  type FindRequest,
  type Ineligible,
  type Json,
  type PollOutcome,
  type PollRequest,
} from "@safelight/core"
import { cancelPrompt } from "./cancel-prompt.ts"
import { checkServer } from "./check-server.ts"
import { createComfyServer } from "./comfy-server.ts"
import { createAccepts, type Accepts } from "./eligibility.ts"
import { isFields } from "./graph.ts"
import { checkOptions, DEFAULTS, type ComfyUiOptions, type ComfyUiSettings } from "./options.ts"
import { createProgressSocket, type ProgressSocket } from "./progress-socket.ts"
import { toPromptIdentity } from "./prompt-identity.ts"
import { readHistory } from "./read-history.ts"
import { findStanding } from "./standing.ts"
import { submitPrompt, type SubmitPorts } from "./submit-prompt.ts"
import { parseWorkflow, type Workflow } from "./workflow.ts"

/** Reads the workflows. Rejects with `invalid-configuration`, naming the file and what is wrong. */
export async function createComfyUiChannel(options: ComfyUiOptions): Promise<Channel> {
  const settings = checkOptions(options)
  const plans = new Map<string, Plan>()
  for (const [id, file] of Object.entries(settings.workflows)) {
    // oxlint-disable-next-line no-await-in-loop -- in order, so that the first fault is the one reported
    const workflow = await readWorkflow(settings, id, file)
    plans.set(id, { workflow, accepts: createAccepts(workflow) })
  }
  return toChannel(settings, plans)
}

interface Plan {
  readonly workflow: Workflow
  readonly accepts: Accepts
}

async function readWorkflow(
  { models, name }: ComfyUiSettings,
  id: string,
  file: string,
): Promise<Workflow> {
  const model = models.find((each) => each.id === id)
  if (model === undefined)
    throw invalid(`channel ${name}: workflows names ${id}, which is no model`)
  let text: string
  try {
    text = await readFile(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`
    throw invalid(`workflow ${file}: ${why}`, error)
  }
  return parseWorkflow({ file, text, model })
}

function toChannel(settings: ComfyUiSettings, plans: ReadonlyMap<string, Plan>): Channel {
  const { baseUrl, concurrency, isFree, key, log, name, partnerKey } = settings
  const server = createComfyServer({ baseUrl, key })
  const socket = createProgressSocket(server)
  const { sendWithinMs, submitTimeoutMs } = DEFAULTS
  const ports: SubmitPorts = { name, server, socket, log, sendWithinMs, partnerKey }
  const secrets = [key, partnerKey].filter((each) => each !== undefined)

  function toPlan(id: string): Plan {
    const plan = plans.get(id)
    if (plan === undefined) throw invalid(`channel ${name} has no workflow for ${id}`)
    return plan
  }

  return {
    name,
    models: [...plans.keys()],
    submission: { kind: "lookup", longestRequestMs: submitTimeoutMs },
    concurrency,
    isFree,
    submitTimeoutMs,
    sendWithinMs,
    outputOrigins: { hosts: [], trustedOrigins: [server.origin] },
    ...(secrets.length > 0 && { hideSecrets: createSecretHider(secrets) }),
    accepts: ({ model, parameters }): true | Ineligible => toPlan(model).accepts(parameters),
    submit: (request) => submitPrompt(ports, toPlan(request.model).workflow, request),
    async find({ signal, upstreamKey }: FindRequest) {
      const { promptId } = toPromptIdentity(upstreamKey)
      const { kind } = await findStanding(server, promptId, signal)
      if (kind !== "absent") return { operation: { promptId } }
      if (isFree) return null
      throw forgetful(name)
    },
    async poll(request) {
      const outcome = await pollPrompt(ports, toPlan(request.model).workflow, request)
      return isFree ? outcome : toPaidOutcome(outcome)
    },
    cancel: ({ operation, signal }) => cancelPrompt(server, toPromptId(operation), signal),
    check: () => {
      const signal = AbortSignal.timeout(DEFAULTS.checkMs)
      const workflows = [...plans.values()].map(({ workflow }) => workflow)
      return checkServer(server, workflows, { isKeyed: key !== undefined, signal })
    },
    async close() {
      await Promise.all([server.close(), socket.close()])
    },
  }
}

async function pollPrompt(
  { server, socket }: Pick<SubmitPorts, "server"> & { readonly socket: ProgressSocket },
  workflow: Workflow,
  { operation, signal }: PollRequest,
): Promise<PollOutcome> {
  const promptId = toPromptId(operation)
  const standing = await findStanding(server, promptId, signal)
  if (standing.kind === "queued") return { kind: "running", pollAfterMs: DEFAULTS.queuedPollMs }
  if (standing.kind === "running") {
    const progress = socket.toProgress(promptId)
    return {
      kind: "running",
      pollAfterMs: DEFAULTS.pollMs,
      ...(progress !== undefined && { progress }),
    }
  }
  socket.forget(promptId)
  if (standing.kind === "over") return readHistory(server, workflow, standing.entry)
  // The server was restarted, or the prompt was removed by hand: it will not be made.
  return { kind: "not-created", reason: "forgotten" }
}

/** A restart may have forgotten the prompt, once its partner nodes were charged. */
function forgetful(name: string): SafelightError {
  const message = `${name} does not know the prompt, and may have forgotten it`
  return new SafelightError({ code: "channel-unavailable", message, retryable: true })
}

/** What came to nothing may have been charged, unless nothing ran, so that it is not made again. */
function toPaidOutcome(outcome: PollOutcome): PollOutcome {
  if (outcome.kind === "refused") return { billed: "maybe", ...outcome }
  if (outcome.kind !== "not-created" || outcome.reason === "answered_from_cache") return outcome
  return { kind: "refused", code: "provider_rejected", billed: "maybe" }
}

function toPromptId(operation: Json): string {
  const id = isFields(operation) ? operation["promptId"] : undefined
  if (typeof id === "string") return id
  const message = "the operation is none of a ComfyUI server"
  throw new SafelightError({ code: "channel-answer-invalid", message, retryable: false })
}

function invalid(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message, cause })
}
