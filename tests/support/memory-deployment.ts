/** The record of the storage in memory; a test may have it stand elsewhere, as a copy would. */
import type { Deployment, DeploymentRecord, DeploymentStorage } from "@safelight/core"

export interface MemoryDeployment extends DeploymentStorage {
  /** From now on the database stands where nobody recorded it. */
  copyDatabase(): void
}

export function createMemoryDeployment(): MemoryDeployment {
  let record: DeploymentRecord | undefined
  let copies = 0
  let recordedCopies = 0
  return {
    copyDatabase() {
      copies += 1
    },
    async readDeployment(): Promise<Deployment> {
      if (record === undefined) {
        return { standing: "new", revision: 0, artifactsMark: null, adoptedAt: 0 }
      }
      return { ...record, standing: copies === recordedCopies ? "original" : "copied" }
    },
    async recordDeployment(request) {
      if (request.revision !== (record?.revision ?? 0)) return false
      record = { ...request, revision: request.revision + 1 }
      recordedCopies = copies
      return true
    },
  }
}
