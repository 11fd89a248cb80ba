/** Accounts as a handler knows them: one that there is, with one key that holds and one that is revoked. */
import { NO_LIMITS, type AccountView, type KeyView, type OperatorAccounts } from "@safelight/core"

export const KNOWN = "account é/b"
export const VALID_KEY = "0123456789"
export const REVOKED_KEY = "abcdefghij"

const VIEW: AccountView = {
  account: {
    ...NO_LIMITS,
    id: KNOWN,
    createdAt: 1_000,
    suspendedAt: 2_000,
    budgetMicros: 50,
    rates: { ...NO_LIMITS.rates, read: { requests: 60, windowMs: 1_000 } },
  },
  totals: { chargedMicros: 40, reservedMicros: 30, unfinishedTasks: 1 },
  leftMicros: -20,
}

const KEY: KeyView = {
  id: VALID_KEY,
  account: KNOWN,
  scopes: ["admin"],
  state: "valid",
  createdAt: 1_000,
  revokedAt: 0,
  expiresAt: 9_000,
}

export function createFakeOperatorAccounts(
  ask: <Value>(question: unknown, value: Value) => Promise<Value>,
  noteChanger: (changedBy: string) => void,
): OperatorAccounts {
  const isKnown = (account?: string): boolean => account === KNOWN
  const made = { key: "sl_live_secret", view: KEY }
  return {
    listAccounts: (request) =>
      ask(["list accounts", request], { accounts: [VIEW.account], next: KNOWN }),
    findAccount: (id) => ask(["find account", id], isKnown(id) ? VIEW : undefined),
    setAccount(id, change, changedBy) {
      noteChanger(changedBy)
      return ask(["set account", id, change], VIEW)
    },
    listKeys: (account) => ask(["list keys", account], isKnown(account) ? [KEY] : undefined),
    createKey(request, changedBy) {
      noteChanger(changedBy)
      return ask(["create key", request], isKnown(request.account) ? made : undefined)
    },
    revokeKey(name, changedBy) {
      noteChanger(changedBy)
      const revoked = { ...KEY, id: name.id, state: "revoked", revokedAt: 3_000 } as const
      const isOurs = isKnown(name.account) && [VALID_KEY, REVOKED_KEY].includes(name.id)
      return ask(["revoke key", name], isOurs ? revoked : undefined)
    },
    rotateKey(request, changedBy) {
      noteChanger(changedBy)
      const { account, id } = request
      const question = ["rotate key", request]
      if (isKnown(account) && id === REVOKED_KEY) return ask(question, { kind: "revoked" })
      if (!isKnown(account) || id !== VALID_KEY) return ask(question, { kind: "unknown" })
      return ask(question, { kind: "rotated", ...made, replaced: KEY })
    },
    revokeLinks(account, changedBy) {
      noteChanger(changedBy)
      return ask(["revoke links", account], isKnown(account))
    },
  }
}
