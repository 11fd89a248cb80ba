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

interface AccountSums {
  readonly images: number
  readonly inputMs: number
  readonly micros: number
  readonly outputMs: number
}

/** With a target, what its accounts used and what is reserved for them counts too. */
export function createSums(target: Pick<Storage, "readTotals" | "sumCharges"> | undefined): Sums {
  const byAccount = new Map<string, AccountSums>()

  async function begin(account: string): Promise<AccountSums> {
    if (target === undefined) return { images: 0, inputMs: 0, micros: 0, outputMs: 0 }
    const { chargedMicros, reservedMicros } = await target.readTotals(account)
    const groups = await target.sumCharges({ account, from: 0, to: Number.MAX_SAFE_INTEGER })
    const sum = (field: "images" | "billedInputMs" | "outputVideoMs"): number =>
      groups.reduce((total, group) => total + group[field], 0)
    return {
      images: sum("images"),
      inputMs: sum("billedInputMs"),
      micros: chargedMicros + reservedMicros,
      outputMs: sum("outputVideoMs"),
    }
  }

  return {
    async add(task) {
      const before = byAccount.get(task.account) ?? (await begin(task.account))
      const charge = toChargeRow(task)
      const after: AccountSums = {
        images: before.images + (charge?.images ?? 0),
        inputMs: before.inputMs + (charge?.billedInputMs ?? 0),
        micros: before.micros + Math.max(task.chargeMicros, task.reservationMicros),
        outputMs: before.outputMs + (charge?.outputVideoMs ?? 0),
      }
      if (!Object.values(after).every(Number.isSafeInteger)) {
        const message = `with task ${task.id} what account "${task.account}" used adds up to more than can be counted`
        throw refused(message)
      }
      byAccount.set(task.account, after)
    },
  }
}
