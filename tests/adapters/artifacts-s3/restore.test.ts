/**
 * Storing under a locator that a manifest names, in a bucket that fails or lies on the way. What is
 * under such a locator may be somebody's already: no failure takes it away, and nothing wrong appears.
 */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createS3Artifacts } from "@safelight/artifacts-s3"
import type { ArtifactRestore } from "@safelight/core"
import { chop, isUnavailable, makeBytes, PART_BYTES, toSha256 } from "./bodies.ts"
import { refuse, serveBucket, type Operation } from "./bucket-server.ts"

const SMALL = makeBytes(1000)
/** Two parts and a bit. */
const LARGE = makeBytes(2 * PART_BYTES + 100)
const LOCATOR = "e3/t/%0041%004b/0b0d4a3e-6f0c-4d6e-9c55-6b8f6f0f7a11"

async function start(context: TestContext) {
  const server = await serveBucket(context)
  const artifacts = createS3Artifacts({ ...server.options, partBytes: PART_BYTES, tries: 1 })
  return { server, artifacts }
}

function toRequest(bytes: Buffer): ArtifactRestore {
  const body = chop(bytes, 100_000)
  return { locator: LOCATOR, body, bytes: bytes.byteLength, sha256: toSha256(bytes) }
}

describe("an artifact that is restored into a bucket", () => {
  it("appears under its locator once it is whole", async (t) => {
    for (const bytes of [SMALL, LARGE]) {
      const { server, artifacts } = await start(t)
      server.act = (exchange) => {
        const isLast = /^PutObject$|^Complete|^Head/.test(exchange.operation)
        if (!isLast) assert.equal(server.objects.size, 0)
        exchange.serve()
      }
      assert.equal(await artifacts.restore(toRequest(bytes)), "stored")
      assert.deepEqual([...server.objects.keys()], [LOCATOR])
      assert.ok(server.objects.get(LOCATOR)?.equals(bytes))
      assert.equal(server.uploads.size, 0)
    }
  })

  it("is checked before the request that would make it appear", async (t) => {
    for (const bytes of [SMALL, LARGE]) {
      const { server, artifacts } = await start(t)
      server.objects.set(LOCATOR, SMALL)
      for (const wrong of [{ sha256: "ab".repeat(32) }, { bytes: 999 }]) {
        server.operations.length = 0
        assert.equal(await artifacts.restore({ ...toRequest(bytes), ...wrong }), "differs")
        const isLast = (name: Operation) => /^PutObject$|^Complete/.test(name)
        assert.ok(!server.operations.some(isLast))
        if (bytes === SMALL) assert.deepEqual(server.operations, [])
        assert.equal(server.uploads.size, 0)
        assert.equal(server.objects.get(LOCATOR), SMALL)
      }
    }
  })

  it("stays where a later restore of it fails or is called off", async (t) => {
    for (const bytes of [SMALL, LARGE]) {
      const { server, artifacts } = await start(t)
      assert.equal(await artifacts.restore(toRequest(bytes)), "stored")

      for (const failing of ["PutObject", "UploadPart", "CompleteMultipartUpload", "HeadObject"]) {
        server.act = (exchange) => {
          if (exchange.operation === failing) refuse(exchange.response, 403, "AccessDenied")
          else exchange.serve()
        }
        const isAsked = bytes === SMALL ? /^(Put|Head)/ : /^(Upload|Complete|Head)/
        const restoring = artifacts.restore(toRequest(bytes))
        if (isAsked.test(failing)) await assert.rejects(restoring, isUnavailable)
        else assert.equal(await restoring, "stored")
        assert.ok(server.objects.get(LOCATOR)?.equals(bytes), failing)
      }

      const controller = new AbortController()
      server.act = (exchange) => {
        exchange.serve()
        if (/^PutObject$|^Complete/.test(exchange.operation)) controller.abort()
      }
      const { signal } = controller
      await assert.rejects(artifacts.restore({ ...toRequest(bytes), signal }), { code: "aborted" })
      assert.ok(server.objects.get(LOCATOR)?.equals(bytes))
      assert.equal(server.uploads.size, 0)
      assert.ok(!server.operations.includes("DeleteObject"))
    }
  })

  it("is taken away again where the bucket keeps it shorter than it was", async (t) => {
    for (const bytes of [SMALL, LARGE]) {
      const { server, artifacts } = await start(t)
      server.act = (exchange) => {
        exchange.serve()
        if (/^PutObject$|^Complete/.test(exchange.operation)) {
          server.objects.set(LOCATOR, bytes.subarray(1))
        }
      }
      await assert.rejects(artifacts.restore(toRequest(bytes)), isUnavailable)
      assert.equal(server.objects.size, 0)
      assert.equal(server.uploads.size, 0)
    }
  })

  it("is asked of no bucket under a locator that none gave out", async (t) => {
    const { server, artifacts } = await start(t)
    const random = LOCATOR.slice(-36)
    for (const locator of [`t/k/${random}`, `e3/T/k/${random}`, `e3/./k/${random}`, ".check/k"]) {
      assert.equal(await artifacts.restore({ ...toRequest(SMALL), locator }), "foreign-locator")
    }
    assert.deepEqual(server.operations, [])
  })
})
