/**
 * The keys in an export, without their secrets. Whoever made the file knows the secrets: once it is
 * imported, they can act for these accounts and sign links to every artifact.
 */
import type { StoredKey } from "@safelight/core"
import type { ExportRecord } from "./export-format.ts"

export interface BroughtKeys {
  readonly apiKeys: readonly BroughtApiKey[]
  readonly linkKeys: readonly BroughtLinkKey[]
}

export type BroughtApiKey = Omit<StoredKey, "secretSha256" | "createdAt">

export interface BroughtLinkKey {
  readonly id: string
}

/** Adds the keys of one more record to `brought`. */
export function addKeys(
  { apiKeys, linkKeys }: { apiKeys: BroughtApiKey[]; linkKeys: BroughtLinkKey[] },
  record: ExportRecord,
): void {
  if (record.kind === "link-key") linkKeys.push({ id: record.linkKey.id })
  if (record.kind !== "key") return
  const { secretSha256: _secret, createdAt: _createdAt, ...named } = record.key
  apiKeys.push(named)
}
