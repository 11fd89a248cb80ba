/**
 * Whether a database and a place for artifacts belong together, and what an adoption keeps. The storage
 * in memory stands elsewhere when it is told so.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ArtifactStorage, DeploymentStorage } from "@safelight/core"
import { checkDeployment } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, SETTINGS, type Scene, type SceneOptions } from "./support.ts"

const OWN = { kind: "own" } as const

describe("a check of the deployment", () => {
  it("records a new database and its place for artifacts, and finds them its own from then on", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    assert.deepEqual(await checkDeployment({ storage, artifacts }), OWN)
    const recorded = await storage.readDeployment()
    assert.match(recorded.artifactsMark ?? "", /^[0-9a-f]{32}$/)
    assert.equal(await artifacts.mark?.(), recorded.artifactsMark)
    assert.deepEqual(await checkDeployment({ storage, artifacts }), OWN)
    assert.deepEqual(await storage.readDeployment(), recorded)
  })

  it("takes the mark of the place where the database is new", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    await artifacts.mark?.("of-another")
    assert.deepEqual(await checkDeployment({ storage, artifacts }), OWN)
    assert.equal((await storage.readDeployment()).artifactsMark, "of-another")
  })

  it("refuses a second place for artifacts, marked or not, and leaves it as it was", async () => {
    const [storage, other] = [createMemoryStorage(), createMemoryArtifacts()]
    await checkDeployment({ storage, artifacts: createMemoryArtifacts() })
    const recorded = await storage.readDeployment()
    const unmarked = { kind: "refused", refusals: ["artifacts-unmarked"] }
    assert.deepEqual(await checkDeployment({ storage, artifacts: other }), unmarked)
    assert.equal(await other.mark?.(), undefined)
    await other.mark?.("of-another")
    const foreign = { kind: "refused", refusals: ["artifacts-of-another"] }
    assert.deepEqual(await checkDeployment({ storage, artifacts: other }), foreign)
    assert.deepEqual(await storage.readDeployment(), recorded)
  })

  it("refuses a copy, also with the place of the original, and changes neither", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    await checkDeployment({ storage, artifacts })
    storage.copyDatabase()
    const found = await storage.readDeployment()
    const copied = { kind: "refused", refusals: ["database-copied"] }
    assert.deepEqual(await checkDeployment({ storage, artifacts }), copied)
    const elsewhere = createMemoryArtifacts()
    const both = { kind: "refused", refusals: ["database-copied", "artifacts-unmarked"] }
    assert.deepEqual(await checkDeployment({ storage, artifacts: elsewhere }), both)
    assert.equal(await elsewhere.mark?.(), undefined)
    assert.deepEqual(await storage.readDeployment(), found)
  })

  it("adopts what differs, once and with a line of the log", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    const clock = createManualClock()
    const lines: unknown[] = []
    const log = { info() {}, error() {}, warn: (fields: unknown) => void lines.push(fields) }
    await checkDeployment({ storage, artifacts, clock, log })
    storage.copyDatabase()
    const elsewhere = createMemoryArtifacts()
    const options = { storage, artifacts: elsewhere, clock, log }
    const refusals = ["database-copied", "artifacts-unmarked"]
    const adopted = await checkDeployment({ ...options, adopt: true })
    assert.deepEqual(adopted, { kind: "adopted", refusals })
    assert.deepEqual(lines, [{ refusals, adoptedAt: clock.now() }])
    assert.deepEqual(await checkDeployment(options), OWN)
    const { adoptedAt, artifactsMark } = await storage.readDeployment()
    assert.equal(adoptedAt, clock.now())
    assert.equal(await elsewhere.mark?.(), artifactsMark)
    const original = await artifacts.mark?.()
    assert.notEqual(artifactsMark, original)
    const former = { kind: "refused", refusals: ["artifacts-of-another"] }
    assert.deepEqual(await checkDeployment({ storage, artifacts, clock, log }), former)
  })

  it("records the moment of an adoption also where nothing differs", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    const clock = createManualClock()
    await checkDeployment({ storage, artifacts, clock })
    const before = await storage.readDeployment()
    const adopted = await checkDeployment({ storage, artifacts, clock, adopt: true })
    assert.deepEqual(adopted, { kind: "adopted", refusals: [] })
    const after = { ...before, revision: 2, adoptedAt: clock.now() }
    assert.deepEqual(await storage.readDeployment(), after)
  })

  it("records again what can be told only later, which is no adoption", async () => {
    const [storage, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    const clock = createManualClock()
    await checkDeployment({ storage, artifacts, clock, adopt: true })
    const before = await storage.readDeployment()
    await clock.advance(1)
    storage.tellMore()
    assert.deepEqual(await checkDeployment({ storage, artifacts, clock }), OWN)
    const after = { ...before, revision: before.revision + 1 }
    assert.deepEqual(await storage.readDeployment(), after)
    assert.deepEqual(await checkDeployment({ storage, artifacts, clock }), OWN)
    assert.deepEqual(await storage.readDeployment(), after)
  })

  it("dates an adoption by the database's clock where there is one", async () => {
    const [memory, artifacts] = [createMemoryStorage(), createMemoryArtifacts()]
    const storage = { ...memory, readClock: async () => 5_000 }
    await checkDeployment({ storage, artifacts, adopt: true })
    assert.equal((await storage.readDeployment()).adoptedAt, 5_000)
  })

  it("lets one of two nodes with places of their own start, also where both adopt", async () => {
    for (const adopt of [false, true]) {
      const storage = createMemoryStorage()
      if (adopt) {
        await checkDeployment({ storage, artifacts: createMemoryArtifacts() })
        storage.copyDatabase()
      }
      const meeting = meet(storage, 2)
      const nodes = [createMemoryArtifacts(), createMemoryArtifacts()]
      const checks = await Promise.all(
        nodes.map((artifacts) => checkDeployment({ storage: meeting, artifacts, adopt })),
      )
      const kinds = checks.map(({ kind }) => kind)
      assert.deepEqual(kinds, [adopt ? "adopted" : "own", "refused"])
    }
  })

  it("compares no marks where a storage of artifacts keeps none, and records one later", async () => {
    const storage = createMemoryStorage()
    const { mark: _, ...unmarked } = createMemoryArtifacts()
    const plain: ArtifactStorage = unmarked
    assert.deepEqual(await checkDeployment({ storage, artifacts: plain }), OWN)
    assert.equal((await storage.readDeployment()).artifactsMark, null)
    const artifacts = createMemoryArtifacts()
    assert.deepEqual(await checkDeployment({ storage, artifacts }), OWN)
    assert.equal((await storage.readDeployment()).artifactsMark, await artifacts.mark?.())
    assert.deepEqual(await checkDeployment({ storage, artifacts: plain }), OWN)
    storage.copyDatabase()
    assert.equal((await checkDeployment({ storage, artifacts: plain })).kind, "refused")
  })
})

const { adoptionHoldMs, removeAfterMs } = SETTINGS

describe("an adopted database", () => {
  it("keeps the bytes of every task from before for a while, then removes what is due", async () => {
    const scene = createMakingScene(1)
    const { artifacts, clock, engine, storage } = scene
    await checkDeployment({ storage, artifacts, clock })
    const id = await finish(scene)
    const [made] = (await scene.read(id)).artifacts
    assert.ok(made !== undefined)
    const orphan = await putOrphan(scene, id)
    await clock.advance(1)
    await adoptCopy(scene)
    const heldUntil = clock.now() + adoptionHoldMs
    assert.ok(made.expiresAt + removeAfterMs < heldUntil)

    const expired = await engine.sweep(made.expiresAt + removeAfterMs)
    assert.deepEqual([expired.expired, expired.removed], [1, 0])
    assert.equal((await engine.sweep(heldUntil - 1)).removed, 0)
    assert.deepEqual(new Set(await artifacts.list(id)), new Set([made.locator, orphan]))
    assert.equal((await engine.sweep(heldUntil)).removed, 2)
    assert.deepEqual(await artifacts.list(id), [])
    const later = { now: Number.MAX_SAFE_INTEGER, limit: 9 }
    assert.deepEqual(await storage.findRetained(later), [])
  })

  it("keeps those of a task that was unfinished too, and of none that it accepted itself", async () => {
    const scene = createMakingScene(2, { isStarted: false })
    const { artifacts, clock, engine, storage } = scene
    await checkDeployment({ storage, artifacts, clock })
    const { id: before } = await scene.submit()
    await clock.advance(1)
    await adoptCopy(scene)
    const { id: after } = await scene.submit()
    engine.start()
    for (const id of [before, after]) {
      await engine.finished(id)
      await putOrphan(scene, id)
    }
    assert.equal((await engine.sweep(clock.now() + removeAfterMs)).removed, 1)
    assert.equal((await artifacts.list(before)).length, 2)
    assert.equal((await artifacts.list(after)).length, 1)
  })
})

describe("an engine whose host checks no deployment", () => {
  it("removes nothing that a copied database shares with its original, and says so", async () => {
    const { entries, log } = createLogRecorder()
    const scene = createMakingScene(1, { log })
    const { artifacts, clock, engine, storage } = scene
    const id = await finish(scene)
    const [made] = (await scene.read(id)).artifacts
    assert.ok(made !== undefined)
    await engine.sweep()
    await clock.advance(1)
    storage.copyDatabase()

    const swept = await engine.sweep(made.expiresAt + removeAfterMs)
    assert.deepEqual([swept.expired, swept.removed, swept.failed], [1, 0, 0])
    assert.deepEqual(await artifacts.list(id), [made.locator])
    const [told] = entries.filter(({ message }) => message === "removal refused")
    assert.deepEqual(told?.fields["refusals"], ["database-copied"])
    assert.match(String(told?.fields["advice"]), /adopt/)

    await adoptCopy(scene)
    assert.equal((await engine.sweep(clock.now() + adoptionHoldMs - 1)).removed, 0)
    assert.equal((await engine.sweep(clock.now() + adoptionHoldMs)).removed, 1)
  })

  it("removes nothing from the place of another database", async () => {
    const [own, foreign] = [createMakingScene(1), createMakingScene(1)]
    await own.engine.sweep()
    const id = await finish(own)
    const locators = await own.artifacts.list(id)
    await foreign.engine.sweep()
    const { artifacts, clock, storage } = own
    const moved = createMakingScene(0, { artifacts: foreign.artifacts, clock, storage })
    const misled = createMakingScene(0, { artifacts, clock, storage: foreign.storage })
    const [expiring] = (await own.read(id)).artifacts
    assert.ok(expiring !== undefined)
    const later = expiring.expiresAt + removeAfterMs
    const orphan = await putOrphan(foreign, id)
    assert.equal((await moved.engine.sweep(later)).removed, 0)
    assert.equal((await misled.engine.sweep(later)).removed, 0)
    assert.deepEqual(await foreign.artifacts.list(id), [orphan])
    assert.deepEqual(await artifacts.list(id), locators)
  })

  it("asks again each hour, and removes what is due once the place is right", async () => {
    const scene = createMakingScene(1)
    const { clock, engine, storage } = scene
    const id = await finish(scene)
    await engine.sweep()
    const [made] = (await scene.read(id)).artifacts
    assert.ok(made !== undefined)
    const other = createMakingScene(0, { clock, storage, artifacts: createMemoryArtifacts() })
    const later = made.expiresAt + removeAfterMs
    assert.equal((await other.engine.sweep(later)).removed, 0)
    assert.equal((await engine.sweep(later)).removed, 0)
    assert.equal((await engine.sweep(later + 3_600_000)).removed, 1)
  })
})

function createMakingScene(count: number, options: Partial<SceneOptions> = {}): Scene {
  const submits = Array.from({ length: count }, () => completed())
  return createScene({ channels: [createScriptedChannel({ submits })], ...options })
}

async function finish(scene: Scene): Promise<string> {
  const { id } = await scene.submit()
  await scene.engine.finished(id)
  return id
}

/** As another database's worker would leave it, which made the same task. */
async function putOrphan({ artifacts }: Scene, task: string): Promise<string> {
  const [output] = completed("made elsewhere").outputs
  assert.ok(output !== undefined)
  return (await artifacts.put({ task, key: "image_1", body: output.open() })).locator
}

async function adoptCopy({ artifacts, clock, storage }: Scene): Promise<void> {
  storage.copyDatabase()
  const check = await checkDeployment({ storage, artifacts, clock, adopt: true })
  assert.equal(check.kind, "adopted")
}

/** Lets no read of the record go on before `count` of them have come, the first time. */
function meet(storage: DeploymentStorage, count: number): DeploymentStorage {
  const met = Promise.withResolvers<void>()
  let reads = 0
  return {
    async readDeployment() {
      const found = await storage.readDeployment()
      reads += 1
      if (reads === count) met.resolve()
      await met.promise
      return found
    },
    recordDeployment: (request) => storage.recordDeployment(request),
    agreeOnSecret: (proposed) => storage.agreeOnSecret(proposed),
    agreeOnSealingSecret: (proposed) => storage.agreeOnSealingSecret(proposed),
  }
}
