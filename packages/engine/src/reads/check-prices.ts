/**
 * Whether the models and prices of this node can settle the unfinished tasks. A task keeps the price version that
 * it was accepted under, which an earlier release wrote as a bare name. A table that was removed, or edited
 * without a new name, is found here, before a host starts.
 */
import { chargeOf, isNamedBy, type Model, type Task } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { canSettle } from "../record/settlement.ts"
import { readParameters } from "../record/request-input.ts"

/** Unfinished tasks that are not charged here as they were accepted. */
export interface PriceFault {
  /**
   * `missing`: the price is not configured here, `unknown-model`: the model isn't; so the tasks are left
   * to other nodes. A task that a channel has taken on needs no more than the definition of its model.
   * `differs`: the table of that name has another price for the model, and the tasks are left to other nodes
   * too; or one of them would be estimated at another price than it was accepted at, so that the table, or the
   * model, is not what it was.
   */
  readonly kind: "missing" | "unknown-model" | "differs"
  readonly model: string
  readonly priceVersion: string
  /** How many of the unfinished tasks that were looked at. */
  readonly tasks: number
}

/** The unfinished tasks that end first, as those of an older table do. */
const LOOKED_AT = 10_000

export async function checkPrices(ports: Ports): Promise<readonly PriceFault[]> {
  const ever = { now: Number.MAX_SAFE_INTEGER, heldUntil: Number.MAX_SAFE_INTEGER }
  const heads = await ports.storage.findOverdue({ ...ever, limit: LOOKED_AT })
  const tasks = heads.map(({ task }) => task)
  const groups = Map.groupBy(tasks, ({ definition, model, priceVersion, state }) =>
    JSON.stringify([model, priceVersion, definition, state === "queued"]),
  )
  const faults = new Map<string, PriceFault>()
  for (const group of groups.values()) {
    const [first] = group
    const kind = first && (await judge(ports, first))
    if (first === undefined || kind === undefined) continue
    const { model, priceVersion } = first
    const name = JSON.stringify([kind, model, priceVersion])
    const count = group.length + (faults.get(name)?.tasks ?? 0)
    faults.set(name, { kind, model, priceVersion, tasks: count })
  }
  return [...faults.values()]
}

async function judge(ports: Ports, task: Task): Promise<PriceFault["kind"] | undefined> {
  const model = await ports.taskModels.find(task)
  // What is under way already is followed also where the model is not served any more.
  const isServed = task.state !== "queued" || ports.models.has(task.model)
  if (model === undefined || !isServed) return "unknown-model"
  if (!canSettle(ports, task)) {
    // A table of that name without the model settles nothing.
    const isThere = ports.prices.some(
      (table) => isNamedBy(table, task.priceVersion) && Object.hasOwn(table.models, task.model),
    )
    return isThere ? "differs" : "missing"
  }
  return (await isEstimatedAlike(ports, model, task)) ? undefined : "differs"
}

/**
 * True also if the parameters were erased, since the estimate can't be repeated then. A model that was changed may
 * not even accept the parameters that it accepted before.
 */
async function isEstimatedAlike(ports: Ports, model: Model, task: Task): Promise<boolean> {
  const parameters = await readParameters(ports.storage, task.id)
  if (parameters === undefined) return true
  try {
    const usage = model.estimate(parameters)
    return chargeOf(model, ports.prices, task, usage) === task.reservationMicros
  } catch {
    return false
  }
}
