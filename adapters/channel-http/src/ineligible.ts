/** Why a request is not taken: the first reason of those that hold. */
import type { Ineligible } from "@safelight/core"

/** Whether it holds, the parameter that it is about, and the reason in words for people. */
export type Reason = readonly [holds: boolean, param: string, reason: string]

export function acceptUnless(...reasons: readonly Reason[]): true | Ineligible {
  const [, param, reason] = reasons.find(([holds]) => holds) ?? []
  if (param === undefined || reason === undefined) return true
  return { kind: "ineligible", reason, param }
}
