/**
 * The S3 adapter on the gateway of Ceph, beyond the contract: lists of more than a page, what a killed process leaves,
 * replies and downloads that break off on the way, versions, and refusals, all as a real server has them.
 */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { after, before, describe, it, type TestContext } from "node:test"
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type BucketLifecycleConfiguration,
} from "@aws-sdk/client-s3"
import {
  createS3Artifacts,
  createS3Objects,
  DEFAULTS,
  findHarmfulRules,
  type S3ArtifactsOptions,
} from "@safelight/artifacts-s3"
import type { ArtifactStorage } from "@safelight/core"
import { startProxy } from "../../faults/tcp-proxy.ts"
import { until } from "../../support/until.ts"
import { isUnavailable, makeBytes, PART_BYTES, readAll, store } from "./bodies.ts"
import { ACCESS_KEY_ID, skipWithoutCeph, startCeph, type CephGateway } from "./ceph-gateway.ts"

/** What a gateway lists at once. */
const PAGE_SIZE = 1_000
const AT_ONCE = 50
const PREFIX = "some/where/"
/** Of task `t`. */
const TASK_FOLDER = "e3/t"
const STRANGER = { accessKeyId: "STRANGER", secretAccessKey: "secret" }
/** Two parts and a bit. */
const LARGE = makeBytes(2 * PART_BYTES + 100)

describe("the S3 adapter on Ceph", { skip: skipWithoutCeph() }, () => {
  let ceph: CephGateway
  before(async () => {
    ceph = await startCeph()
  })
  after(() => ceph[Symbol.asyncDispose]())

  async function start() {
    const bucket = await ceph.createBucket()
    const options = { ...bucket.options, prefix: PREFIX }
    return { artifacts: createS3Artifacts(options), options, Bucket: options.bucket }
  }

  /** Behind a proxy. */
  async function startCuttable(t: TestContext, more: Partial<S3ArtifactsOptions> = {}) {
    const { options } = await start()
    const proxy = await startProxy({ port: Number(new URL(options.endpoint ?? "").port) })
    t.after(() => proxy[Symbol.asyncDispose]())
    const endpoint = `http://127.0.0.1:${proxy.port}`
    return { proxy, artifacts: createS3Artifacts({ ...options, endpoint, ...more }), options }
  }

  async function listUploads(Bucket: string): Promise<number> {
    const { Uploads = [] } = await ceph.client.send(new ListMultipartUploadsCommand({ Bucket }))
    return Uploads.length
  }

  it("lists more artifacts and more uploads than a page holds", async () => {
    const { artifacts, options, Bucket } = await start()
    const locators = Array.from({ length: PAGE_SIZE + 1 }, () => toLocator())
    await forEach(locators, async (locator) => {
      const object = { Bucket, Key: `${PREFIX}${locator}` }
      await ceph.client.send(new PutObjectCommand({ ...object, Body: "." }))
      await ceph.client.send(new CreateMultipartUploadCommand(object))
    })
    assert.deepEqual((await artifacts.list("t")).toSorted(), locators.toSorted())
    const uploads: number[] = []
    for await (const { at } of createS3Objects(options).unfinished?.() ?? []) uploads.push(at)
    assert.equal(uploads.length, locators.length)
  })

  it("sweeps uploads, and none that is young or another's", async () => {
    const { artifacts, Bucket } = await start()
    const others = [`another/${toLocator()}`, `${PREFIX}notes.txt`]
    for (const Key of [`${PREFIX}${toLocator()}`, `${PREFIX}${toLocator()}`, ...others]) {
      await ceph.client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    }
    const now = Date.now()
    assert.equal(await artifacts.sweepIncoming(now), 0)
    const swept = await artifacts.sweepIncoming(now + DEFAULTS.staleAfterMs)
    assert.deepEqual([swept, await listUploads(Bucket)], [2, others.length])
  })

  it("sweeps the parts of a put whose process was killed", async () => {
    const { artifacts, options, Bucket } = await start()
    const writer = await createS3Objects(options).begin(toLocator(), AbortSignal.any([]))
    await writer.write(makeBytes(PART_BYTES), 0)
    assert.equal(await listUploads(Bucket), 1)
    assert.equal(await artifacts.sweepIncoming(Date.now() + DEFAULTS.staleAfterMs), 1)
    assert.equal(await listUploads(Bucket), 0)
    await assert.rejects(writer.commit(makeBytes(1), 1), /404 NoSuchUpload$/)
    assert.deepEqual(await artifacts.list("t"), [])
  })

  const lostReplies: Readonly<Record<string, RegExp>> = {
    "storing it": /^PUT /,
    "the start of an upload": /^POST .*uploads/,
    "a part": /^PUT .*partNumber=2/,
    "the completion of an upload": /^POST .*uploadId=/,
  }
  for (const [request, pattern] of Object.entries(lostReplies)) {
    it(`stores an artifact once although the reply to ${request} is lost`, async (t) => {
      const { proxy, artifacts, options } = await startCuttable(t)
      const bytes = request === "storing it" ? makeBytes(1000) : LARGE
      const lost = proxy.loseReply((sent) => pattern.test(sent.toString("latin1")), "answered")
      const [{ locator }] = await Promise.all([store(artifacts, bytes), lost])
      assert.ok((await readAll(artifacts, { locator })).equals(bytes))
      assert.deepEqual(await artifacts.list("t"), [locator])
      // An upload whose id was lost is for the sweep.
      const left = request === "the start of an upload" ? 1 : 0
      assert.equal(await listUploads(options.bucket), left)
      assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), left)
    })
  }

  for (const [name, partBytes] of [
    ["one request", 2 * LARGE.byteLength],
    ["parts", PART_BYTES],
  ] as const) {
    it(`resumes a download of what was stored by ${name}, and not of another object`, async (t) => {
      const { proxy, artifacts, options } = await startCuttable(t, { partBytes })
      const { locator } = await store(artifacts, LARGE)
      const cut = async () => proxy.cut()
      assert.ok((await readInTwo(artifacts, locator, cut)).equals(LARGE))
      const object = { Bucket: options.bucket, Key: `${PREFIX}${locator}` }
      const read = readInTwo(artifacts, locator, async () => {
        await ceph.client.send(new PutObjectCommand({ ...object, Body: LARGE.toReversed() }))
        proxy.cut()
      })
      await assert.rejects(read, /the artifact was changed while it was read$/)
    })
  }

  it("removes an artifact of a bucket with versions from sight, and an old version stays", async () => {
    const { artifacts, Bucket } = await start()
    const VersioningConfiguration = { Status: "Enabled" } as const
    await ceph.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
    await artifacts.check()
    const { locator } = await store(artifacts, makeBytes(1000))
    await artifacts.remove(locator)
    assert.deepEqual(await artifacts.list("t"), [])
    await assert.rejects(artifacts.open({ locator }), { code: "artifact-missing" })
    const listed = await ceph.client.send(
      new ListObjectVersionsCommand({ Bucket, Prefix: `${PREFIX}${TASK_FOLDER}/` }),
    )
    assert.deepEqual([listed.Versions?.length, listed.DeleteMarkers?.length], [1, 1])
  })

  it("names the rule of a lifecycle that removes artifacts", async () => {
    const { options, Bucket } = await start()
    assert.deepEqual(await findHarmfulRules(options), [])
    const Expiration = { Days: 30 }
    const LifecycleConfiguration: BucketLifecycleConfiguration = {
      Rules: [
        { ID: "ours", Status: "Enabled", Filter: { Prefix: "some/" }, Expiration },
        { ID: "another", Status: "Enabled", Filter: { Prefix: "another/" }, Expiration },
        {
          ID: "uploads",
          Status: "Enabled",
          Filter: { Prefix: "" },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    }
    const input = { Bucket, LifecycleConfiguration }
    await ceph.client.send(new PutBucketLifecycleConfigurationCommand(input))
    assert.deepEqual(await findHarmfulRules(options), [{ id: "ours", effect: "removes" }])
  })

  it("goes on with the session that has replaced an ended one", async () => {
    const { options } = await start()
    let given = await ceph.createSession(1)
    const client = createS3Artifacts({ ...options, credentials: given })
    await until(() => client.list("t").then(() => false, isUnavailable))
    const artifacts = createS3Artifacts({ ...options, credentials: async () => given })
    await assert.rejects(store(artifacts, LARGE), /was answered 403 AccessDenied$/)
    given = await ceph.createSession(3_600)
    const { locator } = await store(artifacts, LARGE)
    assert.ok((await readAll(artifacts, { locator })).equals(LARGE))
  })

  it("reaches a bucket whose clock is an hour off", async (t) => {
    const { artifacts } = await start()
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 3_600_000 })
    await artifacts.check()
  })

  const refusals: Readonly<Record<string, readonly [string, Partial<S3ArtifactsOptions>]>> = {
    "another bucket": ["404 NoSuchBucket", { bucket: "another" }],
    "another key": ["403 AccessDenied", { credentials: STRANGER }],
    "another secret": [
      "403 AccessDenied",
      { credentials: { ...STRANGER, accessKeyId: ACCESS_KEY_ID } },
    ],
  }
  for (const [name, [answer, change]] of Object.entries(refusals)) {
    it(`is refused with ${answer} for ${name}`, async () => {
      const { options } = await start()
      const check = createS3Artifacts({ ...options, ...change }).check()
      await assert.rejects(check, (error) => {
        assert.ok(isUnavailable(error))
        assert.match(String(error), new RegExp(`was answered ${answer}$`))
        return true
      })
    })
  }
})

function toLocator(): string {
  return `${TASK_FOLDER}/k/${randomUUID()}`
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const queue = [...items]
  async function runLane(): Promise<void> {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runLane))
}

async function readInTwo(
  artifacts: ArtifactStorage,
  locator: string,
  between: () => Promise<void>,
): Promise<Buffer> {
  const reader = await artifacts.open({ locator })
  const into = Buffer.alloc(reader.totalBytes)
  try {
    let filled = await reader.read(into.subarray(0, 1000))
    await between()
    for (let count = filled; count !== 0; filled += count) {
      count = await reader.read(into.subarray(filled))
    }
  } finally {
    await reader.close()
  }
  return into
}
