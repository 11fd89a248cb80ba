/**
 * The contract of `ArtifactStorage.sweepIncoming` for puts that have ended and for those under way. Crashes
 * leave different things in different storages: these are in the adapters' own tests. Adapters without
 * `sweepIncoming` do not run it.
 */
import assert from "node:assert/strict"
import type { ArtifactStorage } from "@safelight/core"
import type { ArtifactStorageFixture } from "./artifact-storage-contract.ts"
import { describeContract, type Behaviours } from "./contract.ts"

/** Declares one suite; `create` hands out an empty storage for every behaviour. */
export function describeArtifactSweep(
  name: string,
  create: () => Promise<ArtifactStorageFixture>,
): void {
  const title = `${name} sweeps what crashes left`
  describeContract({ title, behaviours: BEHAVIOURS, create })
}

/** More than the smallest part of an upload, so that a bucket has begun one once it has taken these. */
const BYTES = Buffer.alloc(6 * 1024 * 1024, "swept")

const BEHAVIOURS: Behaviours<ArtifactStorageFixture> = {
  "a sweep finds nothing where every put has ended, also by failing": async ({ artifacts }) => {
    const { locator } = await artifacts.put({ task: "t", key: "k", body: toBody() })
    const failing = artifacts.put({ task: "t", key: "k", body: toBody(new Error("gone")) })
    await assert.rejects(failing, /gone/)
    await artifacts.mark?.("mark-1")
    await artifacts.check()
    assert.equal(await sweep(artifacts, Number.MAX_SAFE_INTEGER), 0)
    assert.equal(await sweep(artifacts, Number.MAX_SAFE_INTEGER), 0)
    assert.deepEqual(await artifacts.list("t"), [locator])
    assert.equal(await artifacts.mark?.(), artifacts.mark && "mark-1")
  },

  "a sweep leaves alone what a put has just begun": async ({ artifacts }) => {
    const begun = Promise.withResolvers<void>()
    const swept = Promise.withResolvers<void>()
    async function* body() {
      yield BYTES
      begun.resolve()
      await swept.promise
      yield BYTES
    }
    const putting = artifacts.put({ task: "t", key: "k", body: body() })
    await begun.promise
    // The storage may write the first bytes only after it has asked for more.
    for (let turn = 0; turn < 10; turn += 1) {
      assert.equal(await sweep(artifacts, Date.now()), 0)
    }
    swept.resolve()
    const { locator, bytes } = await putting
    assert.equal(bytes, 2 * BYTES.byteLength)
    assert.deepEqual(await artifacts.list("t"), [locator])
  },

  "a sweep of an empty storage finds nothing": async ({ artifacts }) => {
    assert.equal(await sweep(artifacts, Number.MAX_SAFE_INTEGER), 0)
  },
}

async function* toBody(failure?: Error): AsyncGenerator<Uint8Array> {
  yield BYTES
  if (failure !== undefined) throw failure
}

function sweep(artifacts: ArtifactStorage, now: number): Promise<number> {
  assert.ok(artifacts.sweepIncoming !== undefined, "this storage sweeps nothing")
  return artifacts.sweepIncoming(now)
}
