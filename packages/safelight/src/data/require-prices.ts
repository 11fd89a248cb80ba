/**
 * Whether unfinished tasks can be charged with the configured prices. One of several nodes leaves tasks that it
 * can't charge to the others, so it only logs them. A process that is alone with its data refuses to start: such
 * a task would wait until its end.
 */
import { SafelightError, type Log } from "@safelight/core"
import type { Engine, PriceFault } from "@safelight/engine"

export interface RequirePricesOptions {
  readonly engine: Pick<Engine, "checkPrices">
  readonly log: Log
  /** Whether no other process serves the same data. */
  readonly isAlone: boolean
}

const ADVICE: Readonly<Record<PriceFault["kind"], string>> = {
  missing: "add the table to `prices`, or these tasks are left to other nodes",
  "unknown-model":
    "put the model's file back into `models`, or these tasks are left to other nodes",
  differs: "give a changed table a version of its own, and a changed model an id of its own",
}

/** Rejects with `invalid-configuration`. */
export async function requirePrices(options: RequirePricesOptions): Promise<void> {
  const { engine, log, isAlone } = options
  const faults = await engine.checkPrices()
  if (isAlone && faults.length > 0) {
    const message = `prices: ${faults.map(toWords).join("; and ")}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  for (const fault of faults) log.error({ ...fault, advice: ADVICE[fault.kind] }, "price mismatch")
}

function toWords({ kind, model, priceVersion, tasks }: PriceFault): string {
  const whose = tasks === 1 ? "an unfinished task" : `${tasks} unfinished tasks`
  if (kind === "unknown-model") {
    return `${whose} of ${model}, to be charged by table "${priceVersion}": the model is missing: put its file back into "models"`
  }
  if (kind === "differs") {
    return `${whose} of ${model} would be charged other prices than table "${priceVersion}" had: put the table and the model back as they were, and give new prices a table of their own, and a changed model another id`
  }
  return `${whose} of ${model} must be charged by table "${priceVersion}", which is missing: put it back before the newer tables`
}
