/**
 * The oracle's view of an account's books: what the API says it spent, has left and paid by label is what the
 * events of its tasks add up to.
 */
import type { StoredEvent } from "@safelight/core"

/** As GET /v1/balance and GET /v1/usage answered once every task had ended. */
export interface Book {
  readonly account: string
  readonly balance: Balance
  readonly usage: Usage
  /** By the value of the label `batch`. */
  readonly batches: ReadonlyMap<string, Usage>
}

export interface Balance {
  readonly budget_micros: number | null
  readonly reserved_micros: number
  readonly spent_micros: number
  readonly left_micros: number | null
}

export interface Usage {
  readonly charge_micros: number
  /** That used something. */
  readonly tasks: number
  readonly account: {
    readonly charged_micros: number
    readonly reserved_micros: number
    readonly unfinished_tasks: number
  }
}

/** What the log says of a task's end. */
export interface Charged {
  readonly account: string
  /** Undefined where its names were erased. */
  readonly batch: string | undefined
  readonly chargeMicros: number
  readonly hasUsage: boolean
  readonly hasEnded: boolean
  readonly reservationMicros: number
}

export function toCharged(
  events: readonly StoredEvent[],
  batch: string | undefined,
): readonly Charged[] {
  const data = events.map(({ data: text, type }) => ({ type, ...(JSON.parse(text) as EndData) }))
  const submitted = data.find(({ type }) => type === "submitted")
  const end = data.findLast(({ type }) => type === "succeeded" || type === "failed")
  if (submitted?.account === undefined) return []
  const charged = {
    account: submitted.account,
    batch,
    chargeMicros: end?.chargeMicros ?? 0,
    hasUsage: (end?.usage ?? null) !== null,
    hasEnded: end !== undefined,
    reservationMicros: submitted.reservationMicros ?? 0,
  }
  return [charged]
}

/** Of `submitted`, `succeeded` and `failed`. */
interface EndData {
  readonly account?: string
  readonly chargeMicros?: number
  readonly reservationMicros?: number
  readonly usage?: object | null
}

export function judgeBooks(
  books: readonly Book[],
  charged: readonly Charged[],
  fail: (words: string) => void,
): void {
  for (const { account, balance, batches, usage } of books) {
    const own = charged.filter((each) => each.account === account)
    const expect = (what: string, found: number | null, expected: number | null): void => {
      if (found !== expected)
        fail(`${account} is told ${what} ${found}, and the log says ${expected}`)
    }
    const spent = sum(own, ({ chargeMicros }) => chargeMicros)
    const reserved = sum(own, (each) => (each.hasEnded ? 0 : each.reservationMicros))
    expect("to have spent", balance.spent_micros, spent)
    expect("to have reserved", balance.reserved_micros, reserved)
    const { budget_micros: budget } = balance
    const left = budget === null ? null : Math.max(0, budget - spent - reserved)
    expect("to have left", balance.left_micros, left)
    expect("to have used up", usage.charge_micros, spent)
    expect(
      "tasks that cost",
      usage.tasks,
      sum(own, ({ hasUsage }) => Number(hasUsage)),
    )
    expect("charges of", usage.account.charged_micros, spent)
    expect(
      "unfinished tasks",
      usage.account.unfinished_tasks,
      sum(own, (each) => Number(!each.hasEnded)),
    )
    for (const [batch, part] of batches) {
      const labelled = own.filter((each) => each.batch === batch)
      expect(
        `for batch ${batch}`,
        part.charge_micros,
        sum(labelled, (each) => each.chargeMicros),
      )
      const counted = sum(labelled, ({ hasUsage }) => Number(hasUsage))
      expect(`tasks of batch ${batch}`, part.tasks, counted)
    }
  }
}

function sum<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((total, item) => total + toNumber(item), 0)
}
