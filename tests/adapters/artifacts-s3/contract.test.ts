/**
 * The S3 adapter on two servers of S3: the contract, then bodies of several parts. What a bucket does
 * wrong is in the files beside this one, on a server that can be told to.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { after, before, describe, it } from "node:test"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import { createS3Artifacts } from "@safelight/artifacts-s3"
import {
  describeArtifactRestore,
  describeArtifactStorage,
  describeArtifactSweep,
  type ArtifactStorageFixture,
} from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { chop, makeBytes, PART_BYTES, readAll, store, toSha256 } from "./bodies.ts"
import { skipWithoutCeph, startCeph, type CephGateway } from "./ceph-gateway.ts"
import { startS3rver, type RunningBucket } from "./mended-s3rver.ts"

const foreignLocator = await giveLocatorOfFolder()

describe("on s3rver", () => describeBucket(startS3rver))

describe("on Ceph", { skip: skipWithoutCeph() }, () => {
  let ceph: CephGateway
  before(async () => {
    ceph = await startCeph()
  })
  after(() => ceph[Symbol.asyncDispose]())

  describeBucket(() => ceph.createBucket())
})

function describeBucket(startBucket: () => Promise<RunningBucket>): void {
  describeContracts(startBucket)
  describeLocators(startBucket)
  describeParts(startBucket)
}

function describeContracts(startBucket: () => Promise<RunningBucket>): void {
  for (const [name, options] of [
    ["the S3 adapter", {}],
    ["the S3 adapter below a prefix", { prefix: "Some-where/deep.er_" }],
  ] as const) {
    const createFixture = async (): Promise<ArtifactStorageFixture> => {
      const server = await startBucket()
      const artifacts = createS3Artifacts({ ...server.options, ...options })
      return { artifacts, cleanUp: async () => server[Symbol.asyncDispose]() }
    }
    describeArtifactStorage(name, createFixture)
    describeArtifactSweep(name, createFixture)
    describeArtifactRestore(name, createFixture)
    describeArtifactRestore(name, createFixture, { foreignLocator })
  }
}

function describeLocators(startBucket: () => Promise<RunningBucket>): void {
  describe("a locator", () => {
    const tasks = ["t", "", "../..", "Ärger %0041+ & <?#>", "x".repeat(300), "\ud800"]
    for (const task of tasks) {
      it(`of task ${JSON.stringify(task).slice(0, 40)} is as good in a folder as in a bucket`, async () => {
        await using temporary = await createTemporaryFolder()
        await using server = await startBucket()
        const folder = createFilesystemArtifacts({ folder: temporary.path })
        const bucket = createS3Artifacts({ ...server.options, prefix: "moved" })
        const bytes = makeBytes(1000)
        const sha256 = toSha256(bytes)
        for (const [from, to] of [
          [folder, bucket],
          [bucket, folder],
        ] as const) {
          const { locator } = await store(from, bytes, { task, key: `${task}.PNG` })
          const body = chop(await readAll(from, { locator }), 300)
          assert.equal(await to.restore({ locator, body, bytes: 1000, sha256 }), "stored")
          assert.deepEqual(await to.list(task), [locator])
          assert.ok(bytes.equals(await readAll(to, { locator })))
          await Promise.all([from.remove(locator), to.remove(locator)])
          assert.deepEqual(await to.list(task), [])
        }
      })
    }
  })
}

function describeParts(startBucket: () => Promise<RunningBucket>): void {
  describe("a body of several parts", () => {
    it("comes back as it was, whatever its size and its chunks", async () => {
      await using server = await startBucket()
      const artifacts = createS3Artifacts({ ...server.options, partBytes: PART_BYTES })
      for (const [size, chunkBytes] of [
        [PART_BYTES - 1, 65_536],
        [PART_BYTES, 65_536],
        [PART_BYTES + 1, 65_537],
        [2 * PART_BYTES, PART_BYTES],
        [2 * PART_BYTES + 17, 3 * PART_BYTES],
        [3 * PART_BYTES, 999_983],
      ] as const) {
        const bytes = makeBytes(size)
        const stored = await artifacts.put({ task: "t", key: "k", body: chop(bytes, chunkBytes) })
        assert.equal(stored.bytes, size)
        assert.equal(stored.sha256, createHash("sha256").update(bytes).digest("hex"))
        assert.ok(
          bytes.equals(await readAll(artifacts, { locator: stored.locator })),
          `${size} bytes`,
        )
      }
      assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 0)
    })

    it("leaves no upload where it fails or is called off", async () => {
      await using server = await startBucket()
      const artifacts = createS3Artifacts({
        ...server.options,
        partBytes: PART_BYTES,
        staleAfterMs: 0,
      })
      const failure = new Error("gone")
      async function* failing() {
        yield* chop(makeBytes(2 * PART_BYTES + 1), 1_000_000)
        throw failure
      }
      const put = artifacts.put({ task: "t", key: "k", body: failing() })
      await assert.rejects(put, (error) => error === failure)

      const controller = new AbortController()
      async function* calledOff() {
        yield* chop(makeBytes(2 * PART_BYTES + 1), 1_000_000)
        controller.abort()
        await new Promise<never>(() => {})
      }
      const { signal } = controller
      const second = artifacts.put({ task: "t", key: "k", body: calledOff(), signal })
      await assert.rejects(second, { code: "aborted" })
      assert.deepEqual(await artifacts.list("t"), [])
      assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 0)
    })
  })
}

async function giveLocatorOfFolder(): Promise<string> {
  await using folder = await createTemporaryFolder()
  const artifacts = createFilesystemArtifacts({ folder: folder.path })
  const { locator } = await store(artifacts, makeBytes(10))
  return locator
}
