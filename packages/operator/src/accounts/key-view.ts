/** A key as lists show it: nothing of its secret, not even the hash. */
import type { KeyView, StoredKey } from "@safelight/core"

export function toKeyView({ secretSha256: _hash, ...key }: StoredKey, now: number): KeyView {
  return { ...key, state: toState(key, now) }
}

/** Checked in the order in which a service does. */
function toState(
  { revokedAt, expiresAt }: Pick<StoredKey, "expiresAt" | "revokedAt">,
  now: number,
): KeyView["state"] {
  if (revokedAt !== 0) return "revoked"
  return expiresAt !== 0 && now >= expiresAt ? "expired" : "valid"
}
