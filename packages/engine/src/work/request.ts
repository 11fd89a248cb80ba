/** What a channel is asked: the task's parameters as accepted, read back from its inputs. */
import type { ChannelRequest, PollRequest } from "@safelight/core"
import { sha256 } from "../host/sha256.ts"
import type { Ports } from "../host/ports.ts"
import { findParameters, HOPS_INPUT } from "../record/request-input.ts"
import { createTaskInputs } from "../media/task-inputs.ts"
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
  const inputs = createTaskInputs(ports, work, parameters)
  return { ...toAsked(ports, work), inputs, parameters, upstreamKey }
}

/** What a channel is asked for by an upstream key. */
export function toFindRequest(
  ports: Ports,
  work: Work,
  upstreamKey: string,
): Omit<WorkRequest, "inputs" | "parameters"> {
  return { ...toAsked(ports, work), upstreamKey }
}

/** How many services have passed the task on. */
export async function readHops({ storage }: Ports, task: string): Promise<number> {
  const input = await storage.readInput({ task, name: HOPS_INPUT })
  return Number(input?.body ?? 0)
}

/** The poll of a running task, or its cancellation. Rejects where the storage fails. */
export async function toPollRequest(ports: Ports, work: Work): Promise<PollRequest> {
  return { ...toBarePollRequest(ports, work), parameters: await findParameters(ports, work) }
}

/** The same without the task's parameters, as if they were erased. */
export function toBarePollRequest(ports: Ports, work: Work): PollRequest {
  const { dispatch, operation, progress } = work.head.task
  const upstreamKey = dispatch?.upstreamKey ?? ""
  return { ...toAsked(ports, work), parameters: undefined, upstreamKey, operation, progress }
}

/** What every call says; of the account only which tasks are of the same one. */
function toAsked(
  { taskModels }: Ports,
  { controller, head, id }: Work,
): Pick<WorkRequest, "task" | "account" | "artifacts" | "model" | "signal"> {
  const { account, model } = head.task
  const { signal } = controller
  const artifacts = taskModels.of(head.task)?.artifacts
  const asked = { task: id, account: sha256([account]).slice(0, 32), model, signal }
  return artifacts === undefined ? asked : { ...asked, artifacts }
}
