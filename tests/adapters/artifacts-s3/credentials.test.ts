/**
 * Credentials that end, by time or on the way: whoever gave them is asked again, and nothing under way is lost. Where
 * the official client finds them, it finds the later ones too.
 */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { text } from "node:stream/consumers"
import { inspect } from "node:util"
import { createS3Artifacts, type S3Credentials } from "@safelight/artifacts-s3"
import { serve } from "../../support/misbehaving-server.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { isUnavailable, makeBytes, PART_BYTES, readAll, store } from "./bodies.ts"
import {
  CREDENTIALS,
  refuse,
  serveBucket,
  toEtag,
  type BucketServer,
  type Operation,
} from "./bucket-server.ts"

const SECRET = "hunter2secret"
const SMALL = makeBytes(1000)
/** Two parts and a bit. */
const LARGE = makeBytes(2 * PART_BYTES + 100)

describe("credentials of a role", () => {
  it("are asked for again before they end, and while they hold only once", async (context) => {
    const bucket = await serveBucket(context)
    let given: S3Credentials = { ...CREDENTIALS, expiration: new Date(Date.now() + 3_600_000) }
    let asked = 0
    const credentials = async () => {
      asked += 1
      return given
    }
    const lasting = createS3Artifacts({ ...bucket.options, credentials })
    await lasting.check()
    await lasting.check()
    assert.equal(asked, 1)
    // 5 minutes before their end the client asks for others, and signs by these.
    given = { ...given, secretAccessKey: "ended", expiration: new Date(Date.now() + 60_000) }
    const ending = createS3Artifacts({ ...bucket.options, credentials, tries: 1 })
    await assert.rejects(ending.check(), isUnavailable)
    given = { ...CREDENTIALS, expiration: new Date(Date.now() + 3_600_000) }
    await ending.check()
  })

  for (const failure of [new Error(SECRET), new TypeError(SECRET), undefined]) {
    it(`that can't be had make everything unavailable, without a word of why: ${failure?.name}`, async (context) => {
      const bucket = await serveBucket(context)
      const credentials = () => Promise.reject(failure)
      const clock = { wait: async () => {} }
      const artifacts = createS3Artifacts({ ...bucket.options, credentials, clock })
      await assert.rejects(artifacts.list("t"), (error) => {
        assert.ok(isUnavailable(error))
        assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(SECRET))
        return true
      })
      assert.deepEqual(bucket.operations, [])
    })
  }

  it("that never come are waited for no longer than for a byte", async (context) => {
    const bucket = await serveBucket(context)
    const credentials = () => new Promise<never>(() => {})
    const limits = { idleTimeoutMs: 50, tries: 1 }
    const artifacts = createS3Artifacts({ ...bucket.options, ...limits, credentials })
    await assert.rejects(artifacts.list("t"), isUnavailable)
  })
})

describe("credentials that end on the way", () => {
  async function start(context: TestContext) {
    const server = await serveBucket(context)
    const counts = { asked: 0, waits: 0 }
    const credentials = async () => {
      counts.asked += 1
      return server.credentials
    }
    const clock = { wait: async () => void (counts.waits += 1) }
    const artifacts = createS3Artifacts({ ...server.options, credentials, clock })
    return { server, artifacts, counts }
  }

  const operations: Readonly<Record<Operation, number>> = {
    PutObject: 1,
    HeadObject: 1,
    CreateMultipartUpload: 1,
    UploadPart: 1,
    CompleteMultipartUpload: 1,
    GetObject: 1,
    ListObjects: 2,
    ListMultipartUploads: 1,
    AbortMultipartUpload: 1,
    DeleteObject: 1,
  }
  for (const [operation, number] of Object.entries(operations)) {
    it(`are asked for once more at ${operation}, and all is as if they had not`, async (t) => {
      const { server, artifacts, counts } = await start(t)
      let left = number
      server.act = (exchange) => {
        if (exchange.operation === operation) left -= 1
        if (exchange.operation !== operation || left !== 0) return exchange.serve()
        server.endSession()
        return refuse(exchange.response, 400, "ExpiredToken")
      }
      const stored = []
      for (const bytes of [SMALL, LARGE, SMALL]) stored.push(await store(artifacts, bytes))
      const locators = stored.map(({ locator }) => locator)
      assert.deepEqual((await artifacts.list("t")).toSorted(), locators.toSorted())
      const read = await readAll(artifacts, { locator: locators[1] ?? "", start: 10 })
      assert.ok(read.equals(LARGE.subarray(10)))
      for (const locator of locators) await artifacts.remove(locator)
      server.uploads.set("left", { key: locators[0] ?? "", parts: new Map(), initiatedAt: 0 })
      assert.equal(await artifacts.sweepIncoming(Number.MAX_SAFE_INTEGER), 1)
      assert.deepEqual([server.objects.size, server.uploads.size, left < 1], [0, 0, true])
      assert.deepEqual(counts, { asked: 2, waits: 0 })
    })
  }

  it("are asked for where a download that broke off is resumed", async (t) => {
    const { server, artifacts, counts } = await start(t)
    const { locator } = await store(artifacts, LARGE)
    server.act = ({ before, operation, request, response, serve: answer }) => {
      if (operation !== "GetObject" || before > 0) return answer()
      server.endSession()
      response.writeHead(200, { "content-length": LARGE.byteLength, etag: toEtag(LARGE) })
      response.write(LARGE.subarray(0, 5000), () => request.socket.end())
    }
    assert.ok((await readAll(artifacts, { locator })).equals(LARGE))
    assert.equal(counts.asked, 2)
  })

  it("are asked for once, by many requests at once", async (t) => {
    const { server, artifacts, counts } = await start(t)
    await artifacts.check()
    server.endSession()
    await Promise.all(Array.from({ length: 30 }, () => store(artifacts, SMALL)))
    assert.deepEqual([server.objects.size, counts.asked], [30, 2])
  })

  it("make a request fail that is refused twice", async (t) => {
    const { server, artifacts, counts } = await start(t)
    server.act = ({ response }) => {
      server.endSession()
      return refuse(response, 400, "ExpiredToken")
    }
    await assert.rejects(artifacts.list("t"), /was answered 400 ExpiredToken$/)
    assert.deepEqual([server.operations.length, counts.asked], [2, 2])
  })

  it("make a request fail at once for which there are no others", async (t) => {
    const { server, artifacts, counts } = await start(t)
    server.act = ({ response }) => refuse(response, 400, "ExpiredToken")
    await assert.rejects(artifacts.list("t"), /was answered 400 ExpiredToken$/)
    assert.deepEqual([server.operations.length, counts.asked], [1, 2])
  })

  it("are asked for where they are denied and may have ended, and not where they hold", async (t) => {
    const server = await serveBucket(t)
    let denied = 1
    server.act = (exchange) => {
      denied -= 1
      if (denied < 0) return exchange.serve()
      server.endSession()
      return refuse(exchange.response, 403, "AccessDenied")
    }
    const hour = 3_600_000
    for (const [expiration, isAsked] of [
      [undefined, true],
      [new Date(Date.now() + hour), false],
    ] as const) {
      let asked = 0
      const credentials = async () => {
        asked += 1
        return { ...server.credentials, ...(expiration && { expiration }) }
      }
      const artifacts = createS3Artifacts({ ...server.options, credentials })
      denied = 1
      if (isAsked) await artifacts.list("t")
      else await assert.rejects(artifacts.list("t"), /was answered 403 AccessDenied$/)
      assert.equal(asked, isAsked ? 2 : 1)
    }
  })

  it("make a request fail at once where they are fixed", async (t) => {
    const { server } = await start(t)
    const artifacts = createS3Artifacts(server.options)
    server.endSession()
    await assert.rejects(artifacts.list("t"), /was answered 400 ExpiredToken$/)
    assert.equal(server.operations.length, 1)
  })
})

describe("without credentials of its own the adapter takes", () => {
  /** For the test alone, and what the machine itself has is out of sight. */
  async function setVariables(
    context: TestContext,
    toVariables: (folder: string) => Readonly<Record<string, string>>,
  ): Promise<void> {
    const folder = await createTemporaryFolder()
    const nowhere = join(folder.path, "nowhere")
    const before = { ...process.env }
    for (const name of Object.keys(before)) if (name.startsWith("AWS_")) delete process.env[name]
    Object.assign(process.env, {
      AWS_CONFIG_FILE: nowhere,
      AWS_SHARED_CREDENTIALS_FILE: nowhere,
      AWS_EC2_METADATA_DISABLED: "true",
      ...toVariables(folder.path),
    })
    context.after(async () => {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
      await folder[Symbol.asyncDispose]()
    })
  }

  async function assertRenewed(server: BucketServer, replace = async () => {}): Promise<void> {
    const { bucket, endpoint = "" } = server.options
    const artifacts = createS3Artifacts({ bucket, endpoint, tries: 1 })
    await artifacts.check()
    server.endSession()
    await replace()
    const { locator } = await store(artifacts, LARGE)
    assert.ok(server.objects.get(locator)?.equals(LARGE))
  }

  it("those of a container's or pod's role", async (t) => {
    const server = await serveBucket(t)
    const agent = await serve(t, ({ headers }, response) => {
      const { accessKeyId, secretAccessKey, sessionToken } = server.credentials
      const Expiration = new Date(Date.now() + 3_600_000).toISOString()
      response.statusCode = headers.authorization === "pod's own" ? 200 : 403
      response.end(
        JSON.stringify({
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey,
          Token: sessionToken,
          Expiration,
        }),
      )
    })
    await setVariables(t, () => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.origin}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "pod's own",
    }))
    await assertRenewed(server)
  })

  it("those of a web identity, whose token is read again", async (t) => {
    const server = await serveBucket(t)
    const tokens: (string | null)[] = []
    const sts = await serve(t, async (request, response) => {
      const parameters = new URLSearchParams(await text(request))
      tokens.push(parameters.get("WebIdentityToken"))
      const { accessKeyId, secretAccessKey, sessionToken } = server.credentials
      const expiration = new Date(Date.now() + 3_600_000).toISOString()
      response.end(`<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
        <SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`)
    })
    let file = ""
    await setVariables(t, (folder) => {
      file = join(folder, "token")
      return {
        AWS_WEB_IDENTITY_TOKEN_FILE: file,
        AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/safelight",
        AWS_ENDPOINT_URL_STS: sts.origin,
      }
    })
    await writeFile(file, "first")
    await assertRenewed(server, () => writeFile(file, "second"))
    assert.deepEqual(tokens, ["first", "second"])
  })

  it("those of the credentials file, which is read again", async (t) => {
    const server = await serveBucket(t)
    let file = ""
    await setVariables(t, (folder) => {
      file = join(folder, "credentials")
      return { AWS_SHARED_CREDENTIALS_FILE: file }
    })
    await writeFile(file, toCredentialsFile(server.credentials))
    await assertRenewed(server, () => writeFile(file, toCredentialsFile(server.credentials)))
  })
})

function toCredentialsFile({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials): string {
  return `[default]
aws_access_key_id = ${accessKeyId}
aws_secret_access_key = ${secretAccessKey}
aws_session_token = ${sessionToken}
`
}
