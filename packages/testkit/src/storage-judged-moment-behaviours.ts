/** The contract of `JudgedMomentStorage`. */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const JUDGED_MOMENT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "the moment that things were last judged by is kept, also after a reopening, and may be set back":
    async (fixture) => {
      const { storage } = fixture
      assert.equal(await storage.readJudgedMoment(), null)
      await storage.keepJudgedMoment(9_007_199_254_740_991)
      assert.equal(await storage.readJudgedMoment(), 9_007_199_254_740_991)
      await storage.keepJudgedMoment(1_767_225_600_000)
      assert.equal(await storage.readJudgedMoment(), 1_767_225_600_000)
      assert.equal(await (await fixture.reopen()).readJudgedMoment(), 1_767_225_600_000)
    },
}
