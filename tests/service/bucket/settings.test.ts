/** A wrong setting of the bucket is named as whoever runs the service has set it, and not repeated. */
import assert from "node:assert/strict"
import { describe, test, type TestContext } from "node:test"
import { isSafelightError, type SafelightError } from "@safelight/core"
import { createService, loadConfiguration } from "safelight"
import { serve } from "../../support/misbehaving-server.ts"
import { temporaryFolder } from "../command/command-process.ts"

const SECRET = "hunter2secret"
const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: SECRET }

async function refusal(
  t: TestContext,
  artifacts: string,
  environment: Readonly<Record<string, string>> = KEYS,
): Promise<SafelightError> {
  const folder = await temporaryFolder(t)
  const configuration = await loadConfiguration({ flags: { artifacts }, environment, folder })
  const error = await createService({ configuration }).catch((thrown: unknown) => thrown)
  assert.ok(isSafelightError(error), String(error))
  assert.ok(!error.message.includes(SECRET), error.message)
  return error
}

describe("a wrong setting of the bucket is named", () => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) {
    test(`${name}, with the last line break of a file`, async (t) => {
      const error = await refusal(t, "s3://bucket?region=r", { ...KEYS, [name]: `${SECRET}\n` })
      assert.equal(error.code, "invalid-configuration")
      assert.equal(error.message, `${name} must be visible ASCII without spaces or line breaks`)
    })
  }

  for (const [url, words] of [
    ["s3://bucket", /: region must be given where endpoint is not$/],
    ["s3://bucket?endpoint=http://127.0.0.1:1&path-style=false", /: path-style must be true where/],
    [`s3://bucket?endpoint=http://user:${SECRET}@host`, /: endpoint must hold no user name/],
    [`s3://user:${SECRET}@bucket`, / must hold no user name or password$/],
  ] as const) {
    test(`the flag and the parameter: ${url.replace(SECRET, "…")}`, async (t) => {
      const { code, message } = await refusal(t, url)
      assert.equal(code, "invalid-configuration")
      assert.match(message, /^--artifacts \(SAFELIGHT_ARTIFACTS_URL\)/)
      assert.match(message, words)
    })
  }
})

test("a region that is not the bucket's is named at the start", async (t) => {
  const server = await serve(t, (request, response) => {
    request.resume()
    response.writeHead(301, { "x-amz-bucket-region": "eu-west-1" })
    response.end("<Error><Code>PermanentRedirect</Code></Error>")
  })
  const artifacts = `s3://bucket?endpoint=${server.origin}&region=us-east-1`
  const error = await refusal(t, artifacts)
  assert.equal(error.code, "artifacts-unavailable")
  assert.match(error.message, /301 PermanentRedirect: the bucket is in eu-west-1: set the region/)
})
