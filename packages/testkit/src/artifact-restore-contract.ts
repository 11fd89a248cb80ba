/**
 * What `ArtifactStorage.restore` promises: an artifact under a place that was given out before, by
 * this storage or by one that it takes places from. Adapters without `restore` do not run it.
 */
import assert from "node:assert/strict"
import { hash } from "node:crypto"
import type { ArtifactRestore, ArtifactStorage, RestoreOutcome } from "@safelight/core"
import type { ArtifactStorageFixture } from "./artifact-storage-contract.ts"
import { describeContract, type Behaviours } from "./contract.ts"

export interface ArtifactRestoreOptions {
  /** A place of task `t` and key `k` that another kind of storage gave out. */
  readonly foreignPlace?: string
}

/** Declares one suite; `create` hands out an empty storage for every behaviour. */
export function describeArtifactRestore(
  name: string,
  create: () => Promise<ArtifactStorageFixture>,
  { foreignPlace }: ArtifactRestoreOptions = {},
): void {
  const toPlace = async (artifacts: ArtifactStorage): Promise<string> =>
    foreignPlace ?? (await givePlace(artifacts))
  const title = `${name} restores artifacts${foreignPlace === undefined ? "" : " of another kind"}`
  describeContract({ title, behaviours: toBehaviours(toPlace), create })
}

type ToPlace = (artifacts: ArtifactStorage) => Promise<string>

const BYTES = Buffer.alloc(300_000, "restored")

function toBehaviours(toPlace: ToPlace): Behaviours<ArtifactStorageFixture> {
  return {
    "what is restored is there under its place, listed, opened and removed": async ({
      artifacts,
    }) => {
      const place = await toPlace(artifacts)
      assert.equal(await restore(artifacts, toRequest(place)), "stored")
      assert.deepEqual(await artifacts.list("t"), [place])
      assert.ok((await readAll(artifacts, place)).equals(BYTES))
      await artifacts.remove(place)
      assert.deepEqual(await artifacts.list("t"), [])
    },

    "twice is the same as once, also at once": async ({ artifacts }) => {
      const place = await toPlace(artifacts)
      const outcomes = await Promise.all([
        restore(artifacts, toRequest(place)),
        restore(artifacts, toRequest(place)),
      ])
      assert.deepEqual(outcomes, ["stored", "stored"])
      assert.equal(await restore(artifacts, toRequest(place)), "stored")
      assert.deepEqual(await artifacts.list("t"), [place])
      assert.ok((await readAll(artifacts, place)).equals(BYTES))
    },

    "a body of other bytes or of another hash is not stored": async ({ artifacts }) => {
      const place = await toPlace(artifacts)
      const request = toRequest(place)
      const wrong: readonly Partial<ArtifactRestore>[] = [
        { bytes: BYTES.length + 1 },
        { sha256: "ab".repeat(32) },
        { body: chop(BYTES.subarray(1)) },
      ]
      for (const change of wrong) {
        const { bytes, sha256 } = request
        const each = { place, bytes, sha256, body: chop(BYTES), ...change }
        assert.equal(await restore(artifacts, each), "differs")
        assert.deepEqual(await artifacts.list("t"), [])
      }
    },

    "a body that fails rejects with its own error and leaves nothing": async ({ artifacts }) => {
      const place = await toPlace(artifacts)
      const failure = new Error("the source went away")
      const body = (async function* () {
        yield* chop(BYTES.subarray(0, 100_000))
        throw failure
      })()
      await assert.rejects(restore(artifacts, { ...toRequest(place), body }), failure)
      assert.deepEqual(await artifacts.list("t"), [])
    },

    "a text that no storage gave out is no place": async ({ artifacts }) => {
      for (const place of ["", "..", "../../etc/passwd", "t/k", "/t/k/1", "aa/../k/1"]) {
        assert.equal(await restore(artifacts, toRequest(place)), "foreign-place", place)
      }
    },
  }
}

async function givePlace(artifacts: ArtifactStorage): Promise<string> {
  const { place } = await artifacts.put({ task: "t", key: "k", body: chop(BYTES) })
  await artifacts.remove(place)
  return place
}

function restore(artifacts: ArtifactStorage, request: ArtifactRestore): Promise<RestoreOutcome> {
  assert.ok(artifacts.restore !== undefined, "this storage can't restore")
  return artifacts.restore(request)
}

function toRequest(place: string): ArtifactRestore {
  return { place, body: chop(BYTES), bytes: BYTES.length, sha256: hash("sha256", BYTES) }
}

async function* chop(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 70_000) {
    yield bytes.subarray(start, start + 70_000)
  }
}

async function readAll(artifacts: ArtifactStorage, place: string): Promise<Buffer> {
  const reader = await artifacts.open({ place })
  const chunks: Buffer[] = []
  try {
    for (;;) {
      const into = Buffer.alloc(64_000)
      const count = await reader.read(into)
      if (count === 0) return Buffer.concat(chunks)
      chunks.push(into.subarray(0, count))
    }
  } finally {
    await reader.close()
  }
}
