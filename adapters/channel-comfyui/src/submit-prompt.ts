/**
 * Sends a prompt, once. The server would run a known id again, so it is asked first whether it knows the id, and
 * asked once more if its answer to the prompt proves nothing.
 *
 *   asked: known ──▶ accepted            unknown ──▶ uploads ──▶ POST /prompt ──▶ what its answer proves
 *   anything before the POST fails ──▶ not created      no proof ──▶ asked again: known ──▶ accepted
 */
import {
  isFailureCode,
  isSafelightError,
  type AbortSignalLike,
  type Accepted,
  type ChannelRequest,
  type Log,
  type NotCreated,
  type Refused,
  type SubmitOutcome,
} from "@safelight/core"
import { meaningless, type ComfyServer, type ServerReply } from "./comfy-server.ts"
import { fillGraph } from "./fill-graph.ts"
import { isFields, type Graph } from "./graph.ts"
import { toPromptIdentity } from "./prompt-identity.ts"
import type { ProgressSocket } from "./progress-socket.ts"
import { readRefusal } from "./read-refusal.ts"
import { findStanding } from "./standing.ts"
import { uploadInputs, type UploadRequest } from "./upload-inputs.ts"
import type { Workflow } from "./workflow.ts"

export interface SubmitPorts {
  readonly name: string
  readonly server: ComfyServer
  readonly socket: ProgressSocket
  readonly log: Log
  /** Goes along with each prompt; the server hands it to its partner nodes alone. */
  readonly partnerKey: string | undefined
  /** How long after the call began its prompt may be sent. */
  readonly sendWithinMs: number
}

/** Rejects if the outcome is unknown. */
export async function submitPrompt(
  ports: SubmitPorts,
  workflow: Workflow,
  request: ChannelRequest,
): Promise<SubmitOutcome> {
  const identity = toPromptIdentity(request.upstreamKey)
  const { promptId } = identity
  const latest = AbortSignal.timeout(ports.sendWithinMs)
  const signal = AbortSignal.any([request.signal as AbortSignal, latest])
  const known = await findBefore(ports, promptId, signal)
  if (known !== undefined) return known
  const files = await upload(ports, workflow, { ...request, promptId, signal })
  if ("kind" in files) return files
  if (signal.aborted) return { kind: "not-created", reason: TOO_SLOW }
  const graph = fillGraph(workflow, { parameters: request.parameters, identity, files })
  ports.socket.follow(promptId, Object.keys(graph))
  const outcome = await send(ports, workflow, { promptId, graph, signal: request.signal })
  if (outcome.kind !== "accepted") ports.socket.forget(promptId)
  return outcome
}

const TOO_SLOW = "not_sent_in_time"

const REASONS: Readonly<Record<string, string>> = {
  aborted: TOO_SLOW,
  "channel-answer-invalid": "server_unclear",
  "channel-unavailable": "unreachable",
}

/** Undefined if the prompt is to be sent. */
async function findBefore(
  { server }: SubmitPorts,
  promptId: string,
  signal: AbortSignal,
): Promise<Accepted | NotCreated | undefined> {
  try {
    const { kind } = await findStanding(server, promptId, signal)
    return kind === "absent" ? undefined : { kind: "accepted", operation: { promptId } }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    return { kind: "not-created", reason: REASONS[error.code] ?? error.code }
  }
}

/** The prompt was not sent yet, so a failure here proves that nothing was made. */
async function upload(
  { server }: SubmitPorts,
  workflow: Workflow,
  request: UploadRequest,
): Promise<ReadonlyMap<string, string> | NotCreated | Refused> {
  try {
    return await uploadInputs(server, workflow, request)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    const { code, retryable } = error
    // The caller's media can't be fetched, and another try would not change that.
    if (isFailureCode(code) && !retryable) return { kind: "refused", code }
    // Media that are slow, or can't be fetched now, are no fault of the channel.
    const isAboutRequest = isFailureCode(code) || code === "aborted"
    const reason = REASONS[code] ?? code
    return { kind: "not-created", reason, ...(isAboutRequest && { isAboutRequest }) }
  }
}

interface Prompt {
  readonly promptId: string
  readonly graph: Graph
  readonly signal: AbortSignalLike
}

async function send(
  ports: SubmitPorts,
  workflow: Workflow,
  prompt: Prompt,
): Promise<SubmitOutcome> {
  const { server, socket } = ports
  const { graph, promptId, signal } = prompt
  const json = {
    prompt: graph,
    prompt_id: promptId,
    client_id: socket.clientId,
    ...(ports.partnerKey !== undefined && {
      extra_data: { api_key_comfy_org: ports.partnerKey },
    }),
  }
  let fault: Error
  try {
    const reply = await server.ask({ method: "POST", path: "/prompt", json, signal })
    const outcome = readCreate(ports, workflow, reply)
    if (outcome !== undefined) return outcome
    fault = meaningless(reply)
  } catch (error) {
    if (!isSafelightError(error)) throw error
    fault = error
  }
  return (await findSent(ports, prompt)) ?? Promise.reject(fault)
}

/** Looks for a prompt whose answer proved nothing; undefined if the outcome is still unknown. */
async function findSent(
  { server }: SubmitPorts,
  { promptId, signal }: Prompt,
): Promise<Accepted | undefined> {
  try {
    const standing = await findStanding(server, promptId, signal)
    // The prompt may still be on its way.
    return standing.kind === "absent" ? undefined : { kind: "accepted", operation: { promptId } }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    return undefined
  }
}

function readCreate(
  ports: SubmitPorts,
  workflow: Workflow,
  reply: ServerReply,
): SubmitOutcome | undefined {
  const { json, retryAfterMs, status } = reply
  if (status === 429) {
    const pause = retryAfterMs !== undefined && { retryAfterMs }
    return { kind: "busy", reason: "server_busy", ...pause }
  }
  if (!isFields(json)) return undefined
  if (status === 400) return readRefusal(ports, workflow, json)
  const { prompt_id: promptId } = json
  // An old server gives the prompt an id of its own, by which it is then polled.
  return status === 200 && typeof promptId === "string"
    ? { kind: "accepted", operation: { promptId } }
    : undefined
}
