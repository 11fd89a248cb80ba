/** The contract of `ArtifactStorage.mark`; a storage without it lists these as divergences. */
import assert from "node:assert/strict"
import type { ArtifactStorage } from "@safelight/core"
import type { ArtifactStorageFixture } from "./artifact-storage-contract.ts"
import type { Behaviours } from "./contract.ts"

export const ARTIFACT_MARK_BEHAVIOURS: Behaviours<ArtifactStorageFixture> = {
  "a storage has no mark until one is proposed, and keeps the first": async ({ artifacts }) => {
    assert.equal(await mark(artifacts), undefined)
    assert.equal(await mark(artifacts), undefined)
    const longest = "~".repeat(100)
    assert.equal(await mark(artifacts, longest), longest)
    assert.equal(await mark(artifacts), longest)
    assert.equal(await mark(artifacts, "second"), longest)
  },

  "of marks proposed at once one stands, and all are told it": async ({ artifacts }) => {
    const proposed = ["a", "b", "c", "d", "e", "f"]
    const told = await Promise.all(proposed.map((each) => mark(artifacts, each)))
    const [first] = told
    assert.ok(first !== undefined && proposed.includes(first))
    assert.deepEqual(
      told,
      Array.from(proposed, () => first),
    )
    assert.equal(await mark(artifacts), first)
  },

  "a mark is no artifact": async ({ artifacts }) => {
    const stood = await mark(artifacts, "mark-1")
    for (const task of ["", ".", ".safelight", "mark", "t"]) {
      assert.deepEqual(await artifacts.list(task), [])
    }
    for (const locator of [".safelight/mark", ".safelight", "mark"]) {
      await assert.rejects(artifacts.open({ locator }), { code: "artifact-missing" })
      await artifacts.remove(locator)
    }
    await artifacts.check()
    assert.equal(await mark(artifacts), stood)
  },
}

function mark(artifacts: ArtifactStorage, proposed?: string): Promise<string | undefined> {
  assert.ok(artifacts.mark !== undefined, "this storage keeps no mark")
  return artifacts.mark(proposed)
}
