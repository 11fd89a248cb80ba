/**
 * What a task costs, and whether that is known here: its model, and a price for it under the version
 * that it was accepted under. A node without either would buy what it can't settle, so it leaves such
 * a task to others before it sends anything.
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

export interface SettlementPorts {
  readonly log: Log
  readonly models: ReadonlyMap<string, Model>
  readonly prices: PriceBook
}

/** Whether the end of the task can be charged here. */
export function canSettle(ports: Omit<SettlementPorts, "log">, task: Task): boolean {
  const { models, prices } = ports
  return models.has(task.model) && findPrice(prices, task.priceVersion, task.model) !== undefined
}

/** The model of a task that was taken on here, which is one that can be settled. */
export function requireSettled(ports: Omit<SettlementPorts, "log">, task: Task): Model {
  const model = ports.models.get(task.model)
  if (model !== undefined && canSettle(ports, task)) return model
  throw new TypeError(`task ${task.id} can't be charged here: ${toLack(task)}`)
}

/** What a node lacks that can't settle the task. */
export function toLack({ model, priceVersion }: Task): string {
  return `model ${model} with a price in table ${priceVersion}`
}

/**
 * The charge of what was used. A film is some hundredths longer than was asked for, or a channel
 * makes more than it should: beyond what was reserved nobody pays. A host's own model may charge what is no
 * amount: its tasks end all the same.
 */
export function toCharge(
  { log, prices }: SettlementPorts,
  task: Task,
  model: Model,
  usage: Usage,
): number {
  const chargeMicros = chargeWithin(model, prices, task, usage)
  const toldMicros = chargeAsTold(model, prices, task.priceVersion, usage)
  if (!(toldMicros >= 0 && Number.isSafeInteger(toldMicros))) {
    reportUnusable(log, task, toldMicros, chargeMicros)
  } else if (toldMicros > chargeMicros) {
    const amounts = { task: task.id, measuredMicros: toldMicros, chargeMicros }
    log.info(amounts, "charge capped")
  }
  return chargeMicros
}

/** By log, the models that were reported to it. */
const toldOf = new WeakMap<Log, Set<string>>()

/** Once of each model: every task of it will be charged so. */
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
