/**
 * What is listed and what is swept: pages, strangers in the bucket, and lists that never end. And
 * the check at the start, which has to find every right that is missing.
 */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { describe, it } from "node:test"
import { createS3Artifacts, DEFAULTS } from "@safelight/artifacts-s3"
import { isUnavailable, makeBytes, store } from "./bodies.ts"
import { refuse, serveBucket, type Operation } from "./bucket-server.ts"

const PREFIX = "safelight/one/"
/** Of task `t`. */
const TASK_FOLDER = "e3/t"
const STARTED_AT = Date.UTC(2026, 0, 1)

describe("a list", () => {
  it("follows every page, and shows nothing that is not an artifact of the task", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, prefix: PREFIX })
    const stored = []
    for (const key of ["a", "b", "c", "d", "e"]) {
      stored.push(await store(artifacts, makeBytes(10), { key }))
    }
    await store(artifacts, makeBytes(10), { task: "t2" })
    const bare = createS3Artifacts(server.options)
    const outside = await store(bare, makeBytes(10))
    for (const name of ["notes.txt", "k/notes.txt", `k/${randomUUID()}/x`, "k/&lt;<&>"]) {
      server.objects.set(`${PREFIX}${TASK_FOLDER}/${name}`, Buffer.of())
    }
    const locators = stored.map(({ locator }) => locator).toSorted()
    assert.deepEqual((await artifacts.list("t")).toSorted(), locators)
    assert.deepEqual(await bare.list("t"), [outside.locator])
    assert.ok(server.operations.filter((name) => name === "ListObjects").length > 4)
  })

  it("of all tasks follows every page, and shows artifacts below the prefix alone", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, prefix: PREFIX })
    const stored = []
    for (const task of ["t", "t2", "u", "v", "w"]) {
      stored.push(await store(artifacts, makeBytes(10), { task }))
    }
    await store(createS3Artifacts(server.options), makeBytes(10))
    server.objects.set(`${PREFIX}notes.txt`, Buffer.of())
    const locators = []
    for await (const locator of artifacts.listAll()) locators.push(locator)
    assert.deepEqual(locators.toSorted(), stored.map(({ locator }) => locator).toSorted())
  })

  it("is unavailable where its pages have no end, or are no list", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, tries: 1 })
    const pages = [
      "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
      "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>",
      "<html></html>",
      "",
    ]
    for (const page of pages) {
      server.act = ({ response }) => void response.end(page)
      await assert.rejects(artifacts.list("t"), isUnavailable)
      await assert.rejects(artifacts.sweepIncoming(0), isUnavailable)
    }
    server.act = ({ response }) => void response.end(Buffer.alloc(9 * 1024 * 1024, "<"))
    await assert.rejects(artifacts.list("t"), /has no end/)
  })
})

describe("a sweep of uploads", () => {
  it("abandons what is old and ours, page by page, and nothing else", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, prefix: PREFIX })
    function upload(id: string, key: string, initiatedAt = STARTED_AT): void {
      server.uploads.set(id, { key, parts: new Map(), initiatedAt })
    }
    for (const id of ["a&b", "c d", "e+f", "g/h", 'i"j'])
      upload(id, `${PREFIX}${TASK_FOLDER}/k/${randomUUID()}`)
    upload("young", `${PREFIX}${TASK_FOLDER}/k/${randomUUID()}`, STARTED_AT + 1)
    upload("foreign", `${PREFIX}${TASK_FOLDER}/notes.txt`)
    upload("outside", `${TASK_FOLDER}/k/${randomUUID()}`)
    const staleAt = STARTED_AT + DEFAULTS.staleAfterMs
    assert.equal(await artifacts.sweepIncoming(staleAt - 1), 0)
    assert.equal(await artifacts.sweepIncoming(staleAt), 5)
    assert.deepEqual([...server.uploads.keys()], ["young", "foreign", "outside"])
    assert.equal(await createS3Artifacts(server.options).sweepIncoming(staleAt), 1)
    assert.deepEqual([...server.uploads.keys()], ["young", "foreign"])
  })

  it("does not count what another sweep was faster with, and keeps what has no date", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts(server.options)
    const ours = `${TASK_FOLDER}/k/${randomUUID()}`
    server.act = (exchange) => {
      const { operation, response } = exchange
      if (operation !== "ListMultipartUploads") return exchange.serve()
      const gone = `<Upload><Key>${ours}</Key><UploadId>1</UploadId><Initiated>2020-01-01T00:00:00Z</Initiated></Upload>`
      const dateless = `<Upload><Key>${ours}</Key><UploadId>2</UploadId></Upload>`
      response.end(`<ListMultipartUploadsResult>${gone}${dateless}</ListMultipartUploadsResult>`)
    }
    assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 0)
    assert.deepEqual(server.operations, ["ListMultipartUploads", "AbortMultipartUpload"])
  })
})

const CHECK_OPERATIONS: readonly Operation[] = [
  "PutObject",
  "HeadObject",
  "ListObjects",
  "ListMultipartUploads",
  "DeleteObject",
]

describe("the check of a bucket", () => {
  it("leaves nothing behind, and is on no list", async (t) => {
    const server = await serveBucket(t)
    await createS3Artifacts({ ...server.options, prefix: PREFIX }).check()
    assert.deepEqual([...server.objects.keys()], [])
    assert.deepEqual(server.operations, CHECK_OPERATIONS)
  })

  for (const operation of CHECK_OPERATIONS) {
    it(`rejects where ${operation} is refused`, async (t) => {
      const server = await serveBucket(t)
      server.act = (exchange) => {
        if (exchange.operation === operation) refuse(exchange.response, 403, "AccessDenied")
        else exchange.serve()
      }
      await assert.rejects(createS3Artifacts(server.options).check(), isUnavailable)
    })
  }

  it("asks for the uploads that a sweep would look through, and no more than one", async (t) => {
    const server = await serveBucket(t)
    const asked: Record<string, string>[] = []
    server.act = (exchange) => {
      const { operation, query } = exchange
      if (operation === "ListMultipartUploads") asked.push(Object.fromEntries(query))
      exchange.serve()
    }
    await createS3Artifacts({ ...server.options, prefix: PREFIX }).check()
    await createS3Artifacts(server.options).check()
    const common = { uploads: "", "max-uploads": "1" }
    assert.deepEqual(asked, [{ ...common, prefix: PREFIX }, common])
  })

  it("rejects where a server has never heard of uploads, and lists its objects", async (t) => {
    const server = await serveBucket(t)
    server.act = (exchange) => {
      if (exchange.operation !== "ListMultipartUploads") return exchange.serve()
      exchange.response.end("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
    }
    const check = createS3Artifacts(server.options).check()
    await assert.rejects(check, /a list was answered otherwise$/)
    assert.equal(server.objects.size, 0)
  })

  it("removes what was stored although the answer was lost", async (t) => {
    const server = await serveBucket(t)
    server.act = ({ operation, key, body, response, serve }) => {
      if (operation !== "PutObject") return serve()
      server.objects.set(key, body)
      response.destroy()
    }
    const artifacts = createS3Artifacts({ ...server.options, tries: 1 })
    await assert.rejects(artifacts.check(), isUnavailable)
    assert.deepEqual([...server.objects.keys()], [])
    assert.deepEqual(server.operations, ["PutObject", "DeleteObject"])
  })

  it("says what failed first where the removal fails as well", async (t) => {
    const server = await serveBucket(t)
    server.act = ({ operation, response, serve }) => {
      if (operation === "ListObjects") refuse(response, 403, "AccessDenied")
      else if (operation === "DeleteObject") refuse(response, 403, "AnotherRefusal")
      else serve()
    }
    const check = createS3Artifacts(server.options).check()
    await assert.rejects(check, /listing objects was answered 403 AccessDenied$/)
  })

  it("rejects where there is no such bucket", async (t) => {
    const server = await serveBucket(t)
    const artifacts = createS3Artifacts({ ...server.options, bucket: "another" })
    await assert.rejects(artifacts.check(), /was answered 404 NoSuchBucket$/)
  })
})
