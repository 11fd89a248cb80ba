/** The contract of `DeploymentStorage`, as far as a database that stays where it is shows it. */
import assert from "node:assert/strict"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

export const DEPLOYMENT_BEHAVIOURS: Behaviours<StorageFixture> = {
  "a database is new until it was recorded, and the original from then on": async (fixture) => {
    const { storage } = fixture
    const unrecorded = { standing: "new", revision: 0, artifactsMark: null, adoptedAt: 0 }
    assert.deepEqual(await storage.readDeployment(), unrecorded)
    const record = { revision: 0, artifactsMark: "mark-1", adoptedAt: 0 }
    assert.equal(await storage.recordDeployment(record), true)
    const recorded = { standing: "original", revision: 1, artifactsMark: "mark-1", adoptedAt: 0 }
    assert.deepEqual(await storage.readDeployment(), recorded)
    assert.deepEqual(await (await fixture.reopen()).readDeployment(), recorded)
  },

  "a record is replaced by whoever knows it, and by nobody else": async ({ storage }) => {
    const first = { revision: 0, artifactsMark: null, adoptedAt: 0 }
    const outcomes = await Promise.all(
      ["a", "b", "c"].map((artifactsMark) => storage.recordDeployment({ ...first, artifactsMark })),
    )
    assert.equal(outcomes.filter((isRecorded) => isRecorded).length, 1)
    const { artifactsMark } = await storage.readDeployment()
    assert.equal(artifactsMark, ["a", "b", "c"][outcomes.indexOf(true)])
    const next = { revision: 1, artifactsMark: null, adoptedAt: 9_007_199_254_740_991 }
    assert.equal(await storage.recordDeployment({ ...next, revision: 2 }), false)
    assert.equal(await storage.recordDeployment(next), true)
    assert.equal(await storage.recordDeployment(next), false)
    assert.equal(await storage.recordDeployment(first), false)
    assert.deepEqual(await storage.readDeployment(), { ...next, standing: "original", revision: 2 })
  },

  "all who ask for the secret get the one that was proposed first": async (fixture) => {
    const { storage } = fixture
    const proposed = ["a1", "b2", "c3"].map((byte) => byte.repeat(32))
    const agreed = await Promise.all(proposed.map((secret) => storage.agreeOnSecret(secret)))
    const [secret = ""] = agreed
    assert.ok(proposed.includes(secret))
    assert.deepEqual(agreed, [secret, secret, secret])
    assert.equal(await storage.agreeOnSecret("d4".repeat(32)), secret)
    assert.equal(await (await fixture.reopen()).agreeOnSecret("e5".repeat(32)), secret)
  },

  "the secret outlasts records of the deployment, and an adoption ends it": async ({ storage }) => {
    const [first, second, third] = ["a1", "b2", "c3"].map((byte) => byte.repeat(32))
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    assert.equal(await storage.agreeOnSecret(first), first)
    const record = { revision: 0, artifactsMark: "mark-1", adoptedAt: 0 }
    assert.equal(await storage.recordDeployment(record), true)
    assert.equal(await storage.agreeOnSecret(second), first)
    assert.equal(await storage.recordDeployment({ ...record, revision: 1, adoptedAt: 5 }), true)
    const agreed = await Promise.all([second, third].map((next) => storage.agreeOnSecret(next)))
    assert.ok(agreed[0] === agreed[1] && agreed[0] !== first)
    assert.equal(await storage.recordDeployment({ ...record, revision: 2, adoptedAt: 6 }), true)
    assert.equal(await storage.agreeOnSecret(first), first)
  },

  "the secret that rows are sealed with is one for all who ask, and outlasts adoptions": async (
    fixture,
  ) => {
    const { storage } = fixture
    const proposed = ["a1", "b2", "c3"].map((byte) => byte.repeat(32))
    const agreed = await Promise.all(proposed.map((each) => storage.agreeOnSealingSecret(each)))
    const [secret = ""] = agreed
    assert.ok(proposed.includes(secret))
    assert.deepEqual(agreed, [secret, secret, secret])
    const other = "d4".repeat(32)
    assert.equal(await storage.agreeOnSecret(other), other)
    const record = { revision: 0, artifactsMark: null, adoptedAt: 5 }
    assert.equal(await storage.recordDeployment(record), true)
    assert.equal(await storage.agreeOnSecret("e5".repeat(32)), "e5".repeat(32))
    assert.equal(await storage.agreeOnSealingSecret(other), secret)
    assert.equal(await (await fixture.reopen()).agreeOnSealingSecret(other), secret)
  },
}
