/**
 * What a task costs, and whether this node can compute it: it needs the model, and a price for it under the version
 * that the task was accepted under. A node without either would buy what it can't settle, so it releases such a
 * task before it sends anything.
 */
import {
  chargeAsTold,
  chargeWithin,
  findPrice,
  type Log,
  type Model,
  type PriceBook,
  type Task,
  type Usage,
} from "@safelight/core"
import type { TaskModels } from "../host/task-models.ts"

export interface SettlementPorts {
  readonly log: Log
  readonly prices: PriceBook
  readonly taskModels: Pick<TaskModels, "of">
}

/** Whether the end of the task can be charged here, once its model was read (`TaskModels.find`). */
export function canSettle(ports: Omit<SettlementPorts, "log">, task: Task): boolean {
  const { prices, taskModels } = ports
  const price = findPrice(prices, task.priceVersion, task.model)
  return price !== undefined && taskModels.of(task) !== undefined
}

/** The model of a task that this node has taken, which it can settle. */
export function requireSettled(ports: Omit<SettlementPorts, "log">, task: Task): Model {
  const model = ports.taskModels.of(task)
  if (model !== undefined && canSettle(ports, task)) return model
  throw new TypeError(`task ${task.id} can't be charged here: ${toLack(task)}`)
}

/** Why a node can't settle the task, or does not make it. */
export function toLack({ definition, model, priceVersion }: Task): string {
  const as = definition === undefined ? "" : ` as definition ${definition.slice(0, 8)} says it`
  return `model ${model}${as} with a price in table ${priceVersion}`
}

/**
 * The charge for the usage, at most the reservation: a film may be some hundredths longer than was asked for, or a
 * channel may make more than it should. If the charge of a host's own model is no amount, its tasks end all the
 * same.
 */
export function toCharge(
  { log, prices }: SettlementPorts,
  task: Task,
  model: Model,
  usage: Usage,
): number {
  const chargeMicros = chargeWithin(model, prices, task, usage)
  const toldMicros = chargeAsTold(model, prices, task, usage)
  if (!(toldMicros >= 0 && Number.isSafeInteger(toldMicros))) {
    reportUnusable(log, task, toldMicros, chargeMicros)
  } else if (toldMicros > chargeMicros) {
    const amounts = { task: task.id, measuredMicros: toldMicros, chargeMicros }
    log.info(amounts, "charge capped")
  }
  return chargeMicros
}

/** For each log, the models that were reported to it. */
const toldOf = new WeakMap<Log, Set<string>>()

/** Once for each model, since the charge of all its tasks is unusable. */
function reportUnusable(
  log: Log,
  { id: task, model }: Task,
  toldMicros: number,
  chargeMicros: number,
): void {
  const models = toldOf.get(log) ?? new Set()
  toldOf.set(log, models)
  if (models.has(model)) return
  models.add(model)
  log.error({ task, model, told: String(toldMicros), chargeMicros }, "charge unusable")
}
