/** The console and the reference, which a configuration turns off. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { createService, DEFAULTS, type Configuration } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

/** The status of each path, of a whole service. */
async function ask(
  own: Partial<Configuration>,
  requests: readonly (readonly [method: string, path: string])[],
): Promise<Readonly<Record<string, number>>> {
  await using places = new AsyncDisposableStack()
  const { path: data } = places.use(await createTemporaryFolder())
  const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data, ...own }
  const service = await createService({ configuration })
  places.defer(() => service.stop())
  const entries = requests.map(async ([method, path]) => {
    const response = await fetch(`${service.url}${path}`, { method })
    await response.arrayBuffer()
    return [path, response.status] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

const CONSOLE = [
  ["GET", "/"],
  ["POST", "/v1/sign-in"],
] as const

const REFERENCE = [
  ["GET", "/openapi.json"],
  ["GET", "/docs"],
  ["GET", "/docs/swagger-ui-bundle.js"],
] as const

const API = [["GET", "/v1/me"]] as const

describe("a service", () => {
  test("has the console and the reference unless told otherwise", async () => {
    const statuses = await ask({}, [...CONSOLE, ...REFERENCE])
    assert.deepEqual(statuses, {
      "/": 200,
      "/v1/sign-in": 415,
      "/openapi.json": 200,
      "/docs": 200,
      "/docs/swagger-ui-bundle.js": 200,
    })
  })

  test("has nothing where the console was, and takes no sign-in link, with console: false", async () => {
    const statuses = await ask({ console: false }, [...CONSOLE, ...REFERENCE, ...API])
    assert.deepEqual(statuses, {
      "/": 404,
      "/v1/sign-in": 404,
      "/openapi.json": 200,
      "/docs": 200,
      "/docs/swagger-ui-bundle.js": 200,
      "/v1/me": 401,
    })
  })

  test("has nothing where the reference was with reference: false", async () => {
    const statuses = await ask({ reference: false }, [...CONSOLE, ...REFERENCE, ...API])
    assert.deepEqual(statuses, {
      "/": 200,
      "/v1/sign-in": 415,
      "/openapi.json": 404,
      "/docs": 404,
      "/docs/swagger-ui-bundle.js": 404,
      "/v1/me": 401,
    })
  })
})
