/**
 * The sums of an export's tasks for each account. A number holds no sum beyond 2^53 − 1, and an account
 * whose bill can't be added up could never be shown it.
 */
import { toChargeRow, type Storage, type Task } from "@safelight/core"
import { refused } from "./export-format.ts"

export interface Sums {
  /** Rejects with `export-refused` if a sum of the task's account would not be a safe integer. */
  add(task: Task): Promise<void>
}

/** What a bill adds up, beside money. */
const MEASURES = [
  "billedInputMs",
  "characters",
  "images",
  "outputAudioMs",
  "outputVideoMs",
  "tokens",
] as const

type Measures = Readonly<Record<(typeof MEASURES)[number], number>>

interface AccountSums {
  readonly measures: Measures
  readonly micros: number
}

function toMeasures(sum: (measure: keyof Measures) => number): Measures {
  return Object.fromEntries(MEASURES.map((measure) => [measure, sum(measure)])) as Measures
}

/** With a target, what its accounts used and what is reserved for them counts too. */
export function createSums(target: Pick<Storage, "readTotals" | "sumCharges"> | undefined): Sums {
  const byAccount = new Map<string, AccountSums>()

  async function begin(account: string): Promise<AccountSums> {
    if (target === undefined) return { measures: toMeasures(() => 0), micros: 0 }
    const { chargedMicros, reservedMicros } = await target.readTotals(account)
    const groups = await target.sumCharges({ account, from: 0, to: Number.MAX_SAFE_INTEGER })
    const measures = toMeasures((measure) =>
      groups.reduce((total, group) => total + group[measure], 0),
    )
    return { measures, micros: chargedMicros + reservedMicros }
  }

  return {
    async add(task) {
      const before = byAccount.get(task.account) ?? (await begin(task.account))
      const charge = toChargeRow(task)
      const after: AccountSums = {
        measures: toMeasures((measure) => before.measures[measure] + (charge?.[measure] ?? 0)),
        micros: before.micros + Math.max(task.chargeMicros, task.reservationMicros),
      }
      if (![after.micros, ...Object.values(after.measures)].every(Number.isSafeInteger)) {
        const message = `with task ${task.id} what account "${task.account}" used adds up to more than can be counted`
        throw refused(message)
      }
      byAccount.set(task.account, after)
    },
  }
}
