/** The record of the storage in memory; a test may have it stand elsewhere, as a copy would. */
import type { Deployment, DeploymentRecord, DeploymentStorage } from "@safelight/core"

export interface MemoryDeployment extends DeploymentStorage {
  /** From now on the database stands somewhere else than recorded. */
  copyDatabase(): void
  /** From now on more is known about where the database stands. */
  tellMore(): void
}

export function createMemoryDeployment(): MemoryDeployment {
  let record: DeploymentRecord | undefined
  let copies = 0
  let recordedCopies = 0
  let parts = 1
  let secret: { readonly adoptedAt: number; readonly text: string } | undefined
  let sealing: string | undefined
  let recordedParts = 0
  return {
    copyDatabase() {
      copies += 1
    },
    tellMore() {
      parts += 1
    },
    async readDeployment(): Promise<Deployment> {
      if (record === undefined) {
        return { standing: "new", revision: 0, artifactsMark: null, adoptedAt: 0 }
      }
      if (copies !== recordedCopies) return { ...record, standing: "copied" }
      const original = { ...record, standing: "original" } as const
      return parts === recordedParts ? original : { ...original, hasMoreToRecord: true }
    },
    async recordDeployment(request) {
      if (request.revision !== (record?.revision ?? 0)) return false
      record = { ...request, revision: request.revision + 1 }
      recordedCopies = copies
      recordedParts = parts
      return true
    },
    async agreeOnSecret(proposed) {
      const adoptedAt = record?.adoptedAt ?? 0
      if (secret?.adoptedAt !== adoptedAt) secret = { adoptedAt, text: proposed }
      return secret.text
    },
    agreeOnSealingSecret: async (proposed) => (sealing ??= proposed),
  }
}
