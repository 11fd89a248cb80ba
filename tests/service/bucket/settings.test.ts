/** A wrong setting of the bucket is named as whoever runs the service has set it, and not repeated. */
import assert from "node:assert/strict"
import { describe, test, type TestContext } from "node:test"
import { isSafelightError } from "@safelight/core"
import { createService, loadConfiguration } from "safelight"
import { temporaryFolder } from "../command/command-process.ts"

const SECRET = "hunter2secret"
const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: SECRET }

async function refusal(
  t: TestContext,
  artifacts: string,
  environment: Readonly<Record<string, string>> = KEYS,
): Promise<string> {
  const folder = await temporaryFolder(t)
  const configuration = await loadConfiguration({ flags: { artifacts }, environment, folder })
  const error = await createService({ configuration }).catch((thrown: unknown) => thrown)
  assert.ok(isSafelightError(error) && error.code === "invalid-configuration", String(error))
  assert.ok(!error.message.includes(SECRET), error.message)
  return error.message
}

describe("a wrong setting of the bucket is named", () => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) {
    test(`${name}, with the last line break of a file`, async (t) => {
      const message = await refusal(t, "s3://bucket?region=r", { ...KEYS, [name]: `${SECRET}\n` })
      assert.equal(message, `${name} must be visible ASCII without spaces or line breaks`)
    })
  }

  for (const [url, words] of [
    ["s3://bucket", /: region must be given where endpoint is not$/],
    ["s3://bucket?endpoint=http://127.0.0.1:1&path-style=false", /: path-style must be true where/],
    [`s3://bucket?endpoint=http://user:${SECRET}@host`, /: endpoint must hold no user name/],
    [`s3://user:${SECRET}@bucket`, / must hold no user name or password$/],
  ] as const) {
    test(`the flag and the parameter: ${url.replace(SECRET, "…")}`, async (t) => {
      const message = await refusal(t, url)
      assert.match(message, /^--artifacts \(SAFELIGHT_ARTIFACTS_URL\)/)
      assert.match(message, words)
    })
  }
})
