/**
 * Requests whose bodies come late, each under a key that is revoked meanwhile. By then it is long enough ago
 * that a service has to know. Their numbers are far above all others, so that each is one of the plan.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { NewKey } from "@safelight/core"
import type { Activity } from "./activity.ts"
import { accept, toSubmission } from "./caller.ts"
import type { Target } from "./http-calls.ts"
import { OBEYED_MS, TOLERANCE_MS } from "./judge-keys.ts"
import { openLateBody } from "./late-body.ts"
import type { Ledger } from "./ledger.ts"
import type { Plan } from "./requests.ts"
import type { Telling } from "./told.ts"

export interface LateCallerOptions {
  readonly activity: Activity
  readonly ledger: Ledger
  readonly plan: Plan
  readonly targets: () => readonly Target[]
  readonly telling: Telling
}

export interface LateCaller {
  ask(account: string, key: NewKey, revoke: () => Promise<void>): Promise<void>
}

const FIRST = 1_000_001

export function createLateCaller({ plan, targets, ...caller }: LateCallerOptions): LateCaller {
  let next = FIRST
  return {
    async ask(account, key, revoke) {
      const [target] = targets()
      if (target === undefined) return await revoke()
      while (plan(next).account !== account || plan(next).isQuoted) next += 1
      const planned = plan(next)
      next += 1
      await caller.ledger.asked(planned.request)
      const late = openLateBody(target, key.key, toSubmission(planned))
      await revoke()
      await pause(OBEYED_MS + 2 * TOLERANCE_MS)
      const answer = await late.finish()
      if (answer?.status === 202) await accept(caller, planned, { ...answer, key: key.id })
    },
  }
}
