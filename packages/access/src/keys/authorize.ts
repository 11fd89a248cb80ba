/** A key may call if its account is not suspended and it has every scope that is asked for. */
import type { Access, Authorization } from "@safelight/core"

const AUTHORIZED: Authorization = { kind: "authorized" }
const SUSPENDED: Authorization = { kind: "refused", code: "account-suspended" }

export const authorize: Access["authorize"] = ({ account, scopes: granted }, scopes) => {
  if (account.suspendedAt !== 0) return SUSPENDED
  const scope = scopes.find((each) => !granted.includes(each))
  if (scope === undefined) return AUTHORIZED
  return { kind: "refused", code: "insufficient-scope", scope }
}
