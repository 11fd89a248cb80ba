/**
 * Options and the URL they come from: what is wrong is named, what it held is never repeated; and
 * where requests then go. Nothing is asked of a bucket before the first call.
 */
import assert from "node:assert/strict"
import dns from "node:dns"
import { describe, it } from "node:test"
import { inspect } from "node:util"
import {
  createS3Artifacts,
  DEFAULTS,
  parseS3Url,
  type S3ArtifactsOptions,
  type S3Credentials,
} from "@safelight/artifacts-s3"
import { isSafelightError } from "@safelight/core"
import { createSelfSignedCertificate } from "../../support/self-signed-certificate.ts"
import { serve, serveSecurely } from "../../support/misbehaving-server.ts"
import { isUnavailable } from "./bodies.ts"
import { CREDENTIALS, serveBucket } from "./bucket-server.ts"

const SECRET = "hunter2secret"
const GOOD: S3ArtifactsOptions = {
  bucket: "artifacts",
  endpoint: "http://127.0.0.1:1",
  credentials: CREDENTIALS,
}

function refuses(work: () => unknown, words: RegExp | string): void {
  assert.throws(work, (error) => {
    assert.ok(isSafelightError(error) && error.code === "invalid-configuration", String(error))
    assert.ok(error.message.match(words) !== null, error.message)
    assert.ok(!inspect(error, { depth: 10, showHidden: true }).includes(SECRET))
    return true
  })
}

describe("the options", () => {
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    bucket: ["", "a", "A-b", "a/b", "a..b", "a_b", "-ab", `${SECRET} x`, undefined, "a".repeat(64)],
    endpoint: [
      "",
      SECRET,
      `http://user:${SECRET}@host`,
      `http://${SECRET}@host`,
      "ftp://host",
      `https://host?key=${SECRET}`,
      `https://host#${SECRET}`,
      "https://host/a%20b",
    ],
    region: ["", "us east", `us/${SECRET}`, "US"],
    prefix: ["/", "/a", "a//b", "a b", "a%20b", "..", "a/../b", ".check", "é", "a".repeat(401)],
    partBytes: [0, -1, 1.5, Number.NaN, 5 * 1024 * 1024 - 1, 2 ** 40],
    tries: [0, 1.5, Infinity],
    idleTimeoutMs: [0, -5, 2 ** 31, Number.NaN],
    staleAfterMs: [-1, 0.5, Infinity],
  }
  for (const [field, values] of Object.entries(wrong)) {
    it(`name a wrong ${field}`, () => {
      for (const value of values) {
        const options = { ...GOOD, [field]: value } as S3ArtifactsOptions
        refuses(() => createS3Artifacts(options), field)
      }
    })
  }

  it("name wrong credentials, and don't repeat them", () => {
    for (const field of ["accessKeyId", "secretAccessKey", "sessionToken"]) {
      for (const value of ["", ` ${SECRET}`, `${SECRET}\r\nx: y`, `${SECRET}é`, 5]) {
        const credentials = { ...CREDENTIALS, [field]: value } as S3Credentials
        refuses(
          () => createS3Artifacts({ ...GOOD, credentials }),
          new RegExp(`^credentials\\.${field} must`),
        )
      }
    }
  })

  it("need a region where there is no endpoint, and a path where that is an address", () => {
    const { endpoint: _endpoint, ...amazon } = GOOD
    refuses(() => createS3Artifacts(amazon), /^region must be given where endpoint is not$/)
    createS3Artifacts({ ...amazon, region: "eu-central-1" })
    refuses(() => createS3Artifacts({ ...GOOD, isPathStyle: false }), /^isPathStyle must be true/)
  })

  it("have these defaults", () => {
    assert.deepEqual(DEFAULTS, {
      region: "us-east-1",
      partBytes: 5_242_880,
      tries: 5,
      idleTimeoutMs: 30_000,
      staleAfterMs: 86_400_000,
    })
  })
})

describe("a request goes", () => {
  it("to the path of the endpoint, the bucket, the prefix", async (t) => {
    const urls: (string | undefined)[] = []
    const server = await serve(t, ({ url }, response) => {
      urls.push(url)
      response.writeHead(403).end()
    })
    const locator = `e3/t/k/${crypto.randomUUID()}`
    for (const [endpoint, prefix, path] of [
      [server.origin, "", `/artifacts/${locator}`],
      [`${server.origin}/storage/v1/s3/`, "a/b.c", `/storage/v1/s3/artifacts/a/b.c/${locator}`],
      [server.origin, "a/", `/artifacts/a/${locator}`],
    ] as const) {
      const artifacts = createS3Artifacts({ ...GOOD, endpoint, prefix })
      await assert.rejects(artifacts.open({ locator }), isUnavailable)
      assert.equal(urls.at(-1)?.split("?")[0], path)
    }
  })

  it("to the bucket's own host where it is not path style, as with Amazon's", async (t) => {
    const hosts: (string | undefined)[] = []
    const server = await serve(t, ({ headers }, response) => {
      hosts.push(headers.host)
      response.writeHead(403).end()
    })
    const names: string[] = []
    const lookup = (name: string, _options: object, callback: (...answer: unknown[]) => void) => {
      names.push(name)
      callback(null, [{ address: "127.0.0.1", family: 4 }])
    }
    t.mock.method(dns, "lookup", lookup as unknown as typeof dns.lookup)
    const endpoint = `http://s3.example:${server.port}`
    const hosted = createS3Artifacts({ ...GOOD, endpoint, isPathStyle: false })
    await assert.rejects(hosted.list("t"), isUnavailable)
    assert.deepEqual(hosts, [`artifacts.s3.example:${server.port}`])
    for (const [bucket, region] of [
      ["artifacts", "eu-central-1"],
      ["my.artifacts", "eu-central-1"],
      ["artifacts", "cn-north-1"],
    ] as const) {
      const amazon = createS3Artifacts({ bucket, region, credentials: CREDENTIALS, tries: 1 })
      await assert.rejects(amazon.list("t"), isUnavailable)
    }
    assert.deepEqual(names.slice(1), [
      "artifacts.s3.eu-central-1.amazonaws.com",
      "s3.eu-central-1.amazonaws.com",
      "artifacts.s3.cn-north-1.amazonaws.com.cn",
    ])
  })

  it("nowhere over TLS whose certificate is nobody's", async (t) => {
    const certificate = createSelfSignedCertificate("127.0.0.1")
    const server = await serveSecurely(t, certificate, (_request, response) => void response.end())
    const endpoint = server.origin.replace("http:", "https:")
    const artifacts = createS3Artifacts({ ...GOOD, endpoint, tries: 1 })
    await assert.rejects(artifacts.list("t"), /SELF_SIGNED/)
  })

  it("signed with the region that was given", async (t) => {
    const server = await serveBucket(t)
    for (const region of ["auto", "eu-central-1"]) {
      await createS3Artifacts({ ...server.options, region }).check()
    }
  })
})

describe("an artifacts' URL", () => {
  it("says where the bucket is", () => {
    assert.deepEqual(parseS3Url("s3://bucket?region=eu-central-1"), {
      bucket: "bucket",
      region: "eu-central-1",
    })
    assert.deepEqual(
      parseS3Url("s3://my.bucket/a/b?endpoint=http://s3.example:9000&region=r&path-style=false"),
      {
        bucket: "my.bucket",
        prefix: "a/b",
        endpoint: "http://s3.example:9000",
        region: "r",
        isPathStyle: false,
      },
    )
    assert.deepEqual(parseS3Url("s3://b12/?endpoint=http://a&path-style=true"), {
      bucket: "b12",
      endpoint: "http://a",
      isPathStyle: true,
    })
  })

  it("is refused where it holds more, without a word of it", () => {
    for (const url of [
      "",
      "s3:",
      "s3://",
      "http://bucket",
      SECRET,
      `s3://user:${SECRET}@bucket`,
      `s3://${SECRET}@bucket`,
      "s3://bucket:9000/",
      `s3://bucket#${SECRET}`,
      `s3://bucket?secretAccessKey=${SECRET}`,
      `s3://bucket?${SECRET}`,
      `s3://bucket?region=a&region=${SECRET}`,
      `s3://bucket?path-style=${SECRET}`,
    ]) {
      refuses(() => parseS3Url(url), "artifacts' URL")
    }
  })

  const wrong = [
    ["bucket", "s3://B?region=r", "the bucket must be the name"],
    ["lack of a region", "s3://bucket", "region must be given where endpoint is not"],
    ["region", `s3://bucket?region=${SECRET}%20`, "region must be the name"],
    ["path", `s3://bucket//${SECRET}?region=r`, "the path must be names"],
    ["endpoint", `s3://bucket?endpoint=${SECRET}`, "endpoint must be an http"],
    ["user", `s3://bucket?endpoint=http://u:${SECRET}@host`, "endpoint must hold no user"],
    ["fragment", `s3://bucket?endpoint=http://host/%23${SECRET}`, "endpoint must be an origin"],
    [
      "style for an address",
      "s3://bucket?endpoint=http://[::1]:9000&path-style=false",
      "path-style must be true where endpoint is an IP address",
    ],
    ["style", `s3://bucket?region=r&path-style=${SECRET}`, "path-style must be true or false"],
  ] as const
  for (const [name, url, words] of wrong) {
    it(`has a wrong ${name} named as a URL calls it`, () => {
      refuses(() => parseS3Url(url), `the artifacts' URL: ${words}`)
    })
  }

  it("goes by the name of the setting it comes from, where that is said", () => {
    for (const [url, words] of [
      ["s3://bucket", /^--artifacts: region must be given/],
      ["bucket", /^--artifacts must be s3:/],
      [`s3://user:${SECRET}@bucket`, /^--artifacts must hold no user name/],
      ["s3://bucket:1", /^--artifacts must hold no port/],
      ["s3://bucket?path-style=1", /^--artifacts: path-style must be true or false$/],
      [`s3://bucket?${SECRET}`, /^--artifacts may hold, once each: endpoint/],
    ] as const) {
      refuses(() => parseS3Url(url, "--artifacts"), words)
    }
  })
})

describe("a bucket in another region", () => {
  const answers: Readonly<Record<string, (region: string) => Answer>> = {
    "301 PermanentRedirect": (region) => ({ headers: { "x-amz-bucket-region": region } }),
    "307 TemporaryRedirect": (region) => ({ headers: { "x-amz-bucket-region": region } }),
    "400 AuthorizationHeaderMalformed": (region) => ({ more: `<Region>${region}</Region>` }),
  }
  interface Answer {
    readonly headers?: Readonly<Record<string, string>>
    readonly more?: string
  }
  for (const [answer, toAnswer] of Object.entries(answers)) {
    it(`that answers ${answer} is named with its region, which is all that is repeated`, async (t) => {
      const [status, code] = answer.split(" ")
      for (const [region, words] of [
        ["eu-west-1", ": the bucket is in eu-west-1: set the region, and any endpoint, to it"],
        [`${SECRET}<`, ""],
      ] as const) {
        const { headers = {}, more = "" } = toAnswer(region.replace("<", "&lt;"))
        const server = await serve(t, (request, response) => {
          response.writeHead(Number(status), headers)
          const location = "<Endpoint>elsewhere.example</Endpoint>"
          response.end(`<Error><Code>${code}</Code>${location}${more}</Error>`)
          request.resume()
        })
        const artifacts = createS3Artifacts({ ...GOOD, endpoint: server.origin })
        const message = `The bucket failed: storing an object was answered ${answer}${words}`
        await assert.rejects(artifacts.check(), { code: "artifacts-unavailable", message })
      }
    })
  }

  it("is named also where only a HEAD is answered so", async (t) => {
    const server = await serveBucket(t)
    server.act = ({ operation, response, serve: answer }) => {
      if (operation !== "HeadObject") return answer()
      response.writeHead(301, { "x-amz-bucket-region": "eu-west-1" }).end()
    }
    const check = createS3Artifacts(server.options).check()
    await assert.rejects(check, /was answered 301: the bucket is in eu-west-1: set the region/)
  })
})
