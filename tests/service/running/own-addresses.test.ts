/** A service that can't list its machine's own addresses opens no public URL, and says so when it starts. */
import assert from "node:assert/strict"
import os from "node:os"
import { describe, test, type TestContext } from "node:test"
import { createService, DEFAULTS } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const WARNING = "own addresses not listed"

async function startAndListen(t: TestContext): Promise<readonly string[]> {
  await using places = new AsyncDisposableStack()
  const { path: data } = places.use(await createTemporaryFolder())
  const warnings: string[] = []
  const service = await createService({
    configuration: { ...DEFAULTS, port: 0, stopGraceMs: 0, data },
    log: {
      info: () => {},
      warn: (_, message) => void warnings.push(message),
      error: (_, message) => t.diagnostic(message),
    },
  })
  places.defer(() => service.stop())
  return warnings
}

describe("a service that starts", () => {
  test("warns if the machine does not list its own addresses", async (t) => {
    t.mock.method(os, "networkInterfaces", () => {
      throw new Error("uv_interface_addresses returned Unknown system error 97")
    })
    assert.ok((await startAndListen(t)).includes(WARNING))
  })

  test("says nothing of it otherwise", async (t) => {
    assert.ok(!(await startAndListen(t)).includes(WARNING))
  })
})
