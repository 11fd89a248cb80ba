/** What a channel is asked: the task's parameters as accepted, read back from beside the log. */
import type { ChannelRequest, ParameterValues, PollRequest } from "@safelight/core"
import type { Ports } from "./ports.ts"
import { REQUEST_INPUT } from "./submission.ts"
import type { Work } from "./work.ts"

/** A request whose signal is the work's own. */
export interface WorkRequest extends ChannelRequest {
  readonly signal: AbortSignal
}

/** The request, or undefined once the parameters were erased. */
export async function toRequest(
  ports: Ports,
  work: Work,
  upstreamKey: string,
): Promise<WorkRequest | undefined> {
  const parameters = await findParameters(ports, work)
  if (parameters === undefined) return undefined
  const { model } = work.head.task
  const { signal } = work.controller
  return { task: work.id, model, parameters, upstreamKey, signal }
}

/** The poll of a running task, or its cancellation. */
export async function toPollRequest(ports: Ports, work: Work): Promise<PollRequest> {
  const { dispatch, model, operation, progress } = work.head.task
  const upstreamKey = dispatch?.upstreamKey ?? ""
  const parameters = await findParameters(ports, work)
  const { signal } = work.controller
  return { task: work.id, model, parameters, upstreamKey, signal, operation, progress }
}

/** The task's parameters, or undefined once they were erased. */
export async function findParameters(
  ports: Ports,
  work: Work,
): Promise<ParameterValues | undefined> {
  work.parameters ??= await readParameters(ports, work.id)
  return work.parameters
}

async function readParameters(ports: Ports, task: string): Promise<ParameterValues | undefined> {
  const input = await ports.storage.readInput({ task, name: REQUEST_INPUT })
  return input && (JSON.parse(input.body) as ParameterValues)
}
