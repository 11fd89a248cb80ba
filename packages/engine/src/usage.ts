/**
 * What tasks cost: one of them with the price it was accepted under, or an account's in a period.
 * A task is billed in the period in which it finished, whenever it was submitted.
 */
import {
  billedInputMs,
  findPrice,
  type ChargesRequest,
  type TaskRequest,
  type TaskUsage,
  type UsageReport,
} from "@safelight/core"
import type { Ports } from "./ports.ts"

export async function findUsage(
  { prices, storage }: Pick<Ports, "prices" | "storage">,
  { account, id }: TaskRequest,
): Promise<TaskUsage | undefined> {
  const head = await storage.readTask(id)
  if (head?.task.account !== account) return undefined
  const { task } = head
  return {
    task,
    price: findPrice(prices, task.priceVersion, task.model),
    billedInputMs: billedInputMs(task.usage?.inputVideosMs ?? []),
  }
}

export async function sumUsage(
  { storage }: Pick<Ports, "storage">,
  request: ChargesRequest,
): Promise<UsageReport> {
  const [charges, totals, account] = await Promise.all([
    storage.sumCharges(request),
    storage.readTotals(request.account),
    storage.findAccount(request.account),
  ])
  return { charges, totals, budgetMicros: account?.budgetMicros ?? null }
}
