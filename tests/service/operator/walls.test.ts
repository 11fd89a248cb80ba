/**
 * No key but an operator's opens anything below /v1/admin, whichever endpoints there are. They are those that
 * the service is made of, so that an endpoint that is added is walked without an edit here, documented or not.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { API_KEY_SCOPES, type ApiKeyScope } from "@safelight/core"
import { ROUTES } from "@safelight/http"
import { createSignerKey } from "@safelight/proof/node"
import { createService, DEFAULTS, type Service } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

/** Hono's `:name` and `:name{pattern}`. */
const PARAMETER = /:\w+(?:\{[^/]*\})?/gu

const endpoints = ROUTES.filter(({ path }) => path.startsWith("/v1/admin")).map(
  ({ method, path }) => ({ method, path: path.replaceAll(PARAMETER, "anything") }),
)
const OTHERS = API_KEY_SCOPES.filter((scope) => scope !== "admin")

interface Refusal {
  readonly error?: { readonly code?: string }
}

describe("endpoints below /v1/admin", () => {
  const resources = new AsyncDisposableStack()
  let service: Service

  before(async () => {
    const { path: data } = resources.use(await createTemporaryFolder())
    // With all that adds endpoints.
    const checkpoints = { signingKey: createSignerKey("media.example/log") }
    const settings = { port: 0, stopGraceMs: 1_000, studio: { sandbox: true }, data, checkpoints }
    service = await createService({ configuration: { ...DEFAULTS, ...settings } })
    resources.defer(() => service.stop())
    assert.ok(endpoints.length >= 20, "there are the operator's endpoints")
  })
  after(() => resources.disposeAsync())

  async function refuseAll(headers: Readonly<Record<string, string>>) {
    return Promise.all(
      endpoints.map(async ({ method, path }) => {
        const response = await fetch(`${service.url}${path}`, { method, headers })
        const { error } = (await response.json()) as Refusal
        return `${method} ${path}: ${response.status} ${error?.code}`
      }),
    )
  }

  const expectAll = (answer: string) =>
    endpoints.map(({ method, path }) => `${method} ${path}: ${answer}`)

  async function headersOf(scopes: readonly ApiKeyScope[]) {
    const request = { keys: service.storage, account: "studio-a", scopes, now: Date.now() }
    return { authorization: `Bearer ${(await createKey(request)).key}` }
  }

  it("are closed to everybody without a key", async () => {
    assert.deepEqual(await refuseAll({}), expectAll("401 missing_api_key"))
  })

  for (const scopes of [...OTHERS.map((scope) => [scope]), OTHERS])
    it(`are closed to a key of ${scopes.join(", ")}`, async () => {
      assert.deepEqual(
        await refuseAll(await headersOf(scopes)),
        expectAll("403 insufficient_scope"),
      )
    })

  it("are not closed to an operator's key", async () => {
    const response = await fetch(`${service.url}/v1/admin/system`, {
      headers: await headersOf(["admin"]),
    })
    assert.equal(response.status, 200)
  })
})
