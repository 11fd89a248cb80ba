/**
 * The contract of `ArtifactStorage.restore`: an artifact under a locator that was given out before, by this
 * storage or by one that it takes locators from. Adapters without `restore` do not run it.
 */
import assert from "node:assert/strict"
import { hash } from "node:crypto"
import type { ArtifactRestore, ArtifactStorage, RestoreOutcome } from "@safelight/core"
import { chop, readAll } from "./artifact-samples.ts"
import type { ArtifactStorageFixture } from "./artifact-storage-contract.ts"
import { describeContract, type Behaviours } from "./contract.ts"

export interface ArtifactRestoreOptions {
  /** A locator of task `t` and key `k` that another kind of storage gave out. */
  readonly foreignLocator?: string
}

/** Declares one suite; `create` hands out an empty storage for every behaviour. */
export function describeArtifactRestore(
  name: string,
  create: () => Promise<ArtifactStorageFixture>,
  { foreignLocator }: ArtifactRestoreOptions = {},
): void {
  const toLocator = async (artifacts: ArtifactStorage): Promise<string> =>
    foreignLocator ?? (await giveLocator(artifacts))
  const title = `${name} restores artifacts${foreignLocator === undefined ? "" : " of another kind"}`
  describeContract({ title, behaviours: toBehaviours(toLocator), create })
}

type ToLocator = (artifacts: ArtifactStorage) => Promise<string>

const BYTES = Buffer.alloc(300_000, "restored")
const CHUNKS = [70_000]

function toBehaviours(toLocator: ToLocator): Behaviours<ArtifactStorageFixture> {
  return {
    "what is restored is there under its locator, listed, opened and removed": async ({
      artifacts,
    }) => {
      const locator = await toLocator(artifacts)
      assert.equal(await restore(artifacts, toRequest(locator)), "stored")
      assert.deepEqual(await artifacts.list("t"), [locator])
      assert.ok(BYTES.equals(await readAll(artifacts, { locator })))
      await artifacts.remove(locator)
      assert.deepEqual(await artifacts.list("t"), [])
    },

    "twice is the same as once, also at once": async ({ artifacts }) => {
      const locator = await toLocator(artifacts)
      const outcomes = await Promise.all([
        restore(artifacts, toRequest(locator)),
        restore(artifacts, toRequest(locator)),
      ])
      assert.deepEqual(outcomes, ["stored", "stored"])
      assert.equal(await restore(artifacts, toRequest(locator)), "stored")
      assert.deepEqual(await artifacts.list("t"), [locator])
      assert.ok(BYTES.equals(await readAll(artifacts, { locator })))
    },

    "a body of other bytes or of another hash is not stored": async ({ artifacts }) => {
      const locator = await toLocator(artifacts)
      const request = toRequest(locator)
      const wrong: readonly Partial<ArtifactRestore>[] = [
        { bytes: BYTES.length + 1 },
        { sha256: "ab".repeat(32) },
        { body: chop(BYTES.subarray(1), CHUNKS) },
      ]
      for (const change of wrong) {
        const { bytes, sha256 } = request
        const each = { locator, bytes, sha256, body: chop(BYTES, CHUNKS), ...change }
        assert.equal(await restore(artifacts, each), "differs")
        assert.deepEqual(await artifacts.list("t"), [])
      }
    },

    "a body that fails rejects with its own error and leaves nothing": async ({ artifacts }) => {
      const locator = await toLocator(artifacts)
      const failure = new Error("the source went away")
      const body = (async function* () {
        yield* chop(BYTES.subarray(0, 100_000), CHUNKS)
        throw failure
      })()
      await assert.rejects(restore(artifacts, { ...toRequest(locator), body }), failure)
      assert.deepEqual(await artifacts.list("t"), [])
    },

    "a text that no storage gave out is no locator": async ({ artifacts }) => {
      for (const locator of ["", "..", "../../etc/passwd", "t/k", "/t/k/1", "aa/../k/1"]) {
        assert.equal(await restore(artifacts, toRequest(locator)), "foreign-locator", locator)
      }
    },
  }
}

async function giveLocator(artifacts: ArtifactStorage): Promise<string> {
  const { locator } = await artifacts.put({ task: "t", key: "k", body: chop(BYTES, CHUNKS) })
  await artifacts.remove(locator)
  return locator
}

function restore(artifacts: ArtifactStorage, request: ArtifactRestore): Promise<RestoreOutcome> {
  assert.ok(artifacts.restore !== undefined, "this storage can't restore")
  return artifacts.restore(request)
}

function toRequest(locator: string): ArtifactRestore {
  return { locator, body: chop(BYTES, CHUNKS), bytes: BYTES.length, sha256: hash("sha256", BYTES) }
}
