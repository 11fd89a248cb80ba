/** How many permits of its account's limit a turn gets; as many as asked for where the account has no limit. */
import { hash } from "node:crypto"
import { toAccountPool, toPoolNumber, toShare, type Turn } from "@safelight/core"

const sha256 = (parts: readonly unknown[]): string => hash("sha256", String(parts[0]))

export function toAccountShare(turn: Turn, account: string, limit: number | null): number {
  return toShare(turn, limit ?? Infinity, () => toPoolNumber(toAccountPool(account), sha256))
}
