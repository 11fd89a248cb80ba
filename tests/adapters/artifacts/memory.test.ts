/** The shortest driver there is: what all storages of artifacts share passes the contract over it. */
import {
  createMemoryArtifacts,
  describeArtifactRestore,
  describeArtifactStorage,
  describeArtifactSweep,
  type ArtifactStorageFixture,
} from "@safelight/testkit"

async function createFixture(): Promise<ArtifactStorageFixture> {
  return { artifacts: createMemoryArtifacts(), cleanUp: async () => {} }
}

describeArtifactStorage("the memory", createFixture)
describeArtifactSweep("the memory", createFixture)
describeArtifactRestore("the memory", createFixture)
