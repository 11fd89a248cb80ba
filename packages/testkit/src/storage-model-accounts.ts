/**
 * What accounts have and may do, for the storage of the contract's generated runs: totals are added
 * up from the tasks each time they are asked for, so nothing here can fall behind.
 */
import {
  isTerminal,
  type AccountTotals,
  type Admission,
  type AdmitRequest,
  type IdempotencyUse,
  type StreamHead,
} from "@safelight/core"

export interface Bounds {
  readonly budgetMicros: number | null
  readonly unfinishedTasks: number | null
}

export interface AccountModel {
  readonly setBounds: (account: string, bounds: Bounds) => void
  readonly totals: (account: string) => AccountTotals
  /** Whether the account's totals are kept. */
  readonly isBounded: (account: string) => boolean
  /**
   * What becomes of an admission that `add` stores, unless it `isStored` already; undefined where
   * `add` refuses.
   */
  readonly admit: (
    request: AdmitRequest,
    isStored: boolean,
    add: () => boolean,
  ) => Admission | undefined
  readonly forgetTask: (task: string) => void
}

export function createAccountModel(heads: ReadonlyMap<string, StreamHead>): AccountModel {
  const bounds = new Map<string, Bounds>()
  const uses = new Map<string, IdempotencyUse & { readonly task: string }>()

  function totals(account: string): AccountTotals {
    const tasks = [...heads.values()].map(({ task }) => task)
    const mine = tasks.filter((task) => task.account === account)
    const unfinished = mine.filter((task) => !isTerminal(task))
    return {
      chargedMicros: mine.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0),
      reservedMicros: unfinished.reduce((sum, { reservationMicros }) => sum + reservationMicros, 0),
      unfinishedTasks: unfinished.length,
    }
  }

  function findObstacle(request: AdmitRequest): Admission | undefined {
    const { account, reservationMicros } = request.append.changes.task
    const known = request.idempotency && uses.get(nameUse(request))
    if (known) return { kind: "known", task: known.task, fingerprint: known.fingerprint }
    const { budgetMicros = null, unfinishedTasks = null } = bounds.get(account) ?? {}
    const { chargedMicros, reservedMicros, unfinishedTasks: count } = totals(account)
    const neededMicros = chargedMicros + reservedMicros + reservationMicros
    if (budgetMicros !== null && neededMicros > budgetMicros) {
      return { kind: "refused", limit: "budget" }
    }
    if (unfinishedTasks === null || count < unfinishedTasks) return undefined
    return { kind: "refused", limit: "unfinished-tasks" }
  }

  return {
    setBounds: (account, changed) => void bounds.set(account, changed),
    totals,
    isBounded(account) {
      const { budgetMicros = null, unfinishedTasks = null } = bounds.get(account) ?? {}
      return budgetMicros !== null || unfinishedTasks !== null
    },
    admit(request, isStored, add) {
      const obstacle = isStored ? undefined : findObstacle(request)
      if (obstacle !== undefined) return obstacle
      if (!add()) return undefined
      const { append, idempotency } = request
      if (idempotency && !isStored)
        uses.set(nameUse(request), { ...idempotency, task: append.task })
      return { kind: "admitted" }
    },
    forgetTask(task) {
      for (const [name, use] of uses) if (use.task === task) uses.delete(name)
    },
  }
}

function nameUse({ append, idempotency }: AdmitRequest): string {
  return JSON.stringify([append.changes.task.account, idempotency?.key])
}
