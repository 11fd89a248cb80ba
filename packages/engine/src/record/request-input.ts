/**
 * The erasable inputs of a task, which are kept outside the log: the parameters of the request, and how many
 * services have passed it on. The measurements of its videos are in `measured-input.ts`.
 */
import { REQUEST_INPUT, type ParameterValues, type TaskStorage } from "@safelight/core"

/** The name of the input that says how many services have passed a request on; absent for none. */
export const HOPS_INPUT = "hops"

/** A task's parameters as they were accepted; undefined once they were erased. */
export async function readParameters(
  storage: Pick<TaskStorage, "readInput">,
  task: string,
): Promise<ParameterValues | undefined> {
  const input = await storage.readInput({ task, name: REQUEST_INPUT })
  return input && (JSON.parse(input.body) as ParameterValues)
}

/** The same for a task in hand, which is read once. */
export async function findParameters(
  { storage }: { readonly storage: Pick<TaskStorage, "readInput"> },
  task: { readonly id: string; parameters: ParameterValues | undefined },
): Promise<ParameterValues | undefined> {
  task.parameters ??= await readParameters(storage, task.id)
  return task.parameters
}
