/**
 * Everything in an export that lets somebody in, named: whoever made the file has the secrets, and so
 * acts for these accounts and signs links to every artifact once it is imported.
 */
import type { ApiKeyScope } from "@safelight/core"
import type { ExportRecord } from "./export-format.ts"

export interface BroughtKeys {
  readonly apiKeys: readonly BroughtApiKey[]
  readonly linkKeys: readonly BroughtLinkKey[]
}

export interface BroughtApiKey {
  readonly id: string
  readonly account: string
  readonly scopes: readonly ApiKeyScope[]
  /** Milliseconds; 0: never. */
  readonly expiresAt: number
  readonly revokedAt: number
}

export interface BroughtLinkKey {
  readonly id: string
}

export function createBroughtKeys(): {
  add(record: ExportRecord): void
  toList(): BroughtKeys
} {
  const apiKeys: BroughtApiKey[] = []
  const linkKeys: BroughtLinkKey[] = []
  return {
    add(record) {
      if (record.kind === "link-key") {
        linkKeys.push({ id: record.linkKey.id })
      }
      if (record.kind !== "key") return
      const { secretSha256: _secret, createdAt: _createdAt, ...named } = record.key
      apiKeys.push(named)
    },
    toList: () => ({ apiKeys, linkKeys }),
  }
}
