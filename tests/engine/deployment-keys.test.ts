/** The keys that every node of a deployment derives from the secret of its database. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createDeploymentKeys, type DeploymentKeys, type KeyPurpose } from "@safelight/engine"
import { createManualClock, createMemoryStorage } from "@safelight/testkit"

const PURPOSES: readonly KeyPurpose[] = ["callback", "input"]

describe("the keys of a deployment", () => {
  it("are one for each purpose, the same at each node, and none is the secret", async () => {
    const storage = createMemoryStorage()
    const [one, two] = [createDeploymentKeys({ storage }), createDeploymentKeys({ storage })]
    const [ofOne, ofTwo] = await Promise.all([deriveAll(one), deriveAll(two)])
    assert.deepEqual(ofOne, ofTwo)
    const secret = await storage.agreeOnSecret("00".repeat(32))
    assert.match(secret, /^[0-9a-f]{64}$/)
    assert.equal(new Set([secret, ...ofOne]).size, 1 + PURPOSES.length)
    assert.ok(ofOne.every((key) => /^[0-9a-f]{64}$/.test(key)))
  })

  it("differ between two databases", async () => {
    const [one, two] = [createMemoryStorage(), createMemoryStorage()]
    const keys = [one, two].map((storage) => createDeploymentKeys({ storage }))
    const [ofOne = [], ofTwo = []] = await Promise.all(keys.map(deriveAll))
    assert.equal(new Set([...ofOne, ...ofTwo]).size, 2 * PURPOSES.length)
  })

  it("change with an adoption, also at a node that runs on", async () => {
    const [clock, storage] = [createManualClock(), createMemoryStorage()]
    const running = createDeploymentKeys({ storage, clock })
    const before = await deriveAll(running)
    assert.ok(await storage.recordDeployment({ revision: 0, artifactsMark: null, adoptedAt: 0 }))
    await clock.advance(10_000)
    assert.deepEqual(await deriveAll(running), before)
    assert.ok(await storage.recordDeployment({ revision: 1, artifactsMark: null, adoptedAt: 7 }))
    const started = await deriveAll(createDeploymentKeys({ storage, clock }))
    assert.ok(started.every((key) => !before.includes(key)))
    await clock.advance(10_000)
    assert.deepEqual(await deriveAll(running), started)
  })

  it("cost one read for many signatures, and none is kept of a read that failed", async () => {
    const [clock, memory] = [createManualClock(), createMemoryStorage()]
    let reads = 0
    const storage = {
      async agreeOnSecret(proposed: string) {
        reads += 1
        if (reads === 1) throw new Error("down")
        return memory.agreeOnSecret(proposed)
      },
    }
    const keys = createDeploymentKeys({ storage, clock })
    await assert.rejects(keys.derive("callback"), { message: "down" })
    await Promise.all([deriveAll(keys), deriveAll(keys)])
    await deriveAll(keys)
    assert.equal(reads, 2)
  })
})

async function deriveAll(keys: DeploymentKeys): Promise<readonly string[]> {
  const derived = await Promise.all(PURPOSES.map((purpose) => keys.derive(purpose)))
  return derived.map((key) => Buffer.from(key).toString("hex"))
}
