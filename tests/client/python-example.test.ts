/** The client's example in Python, as its user runs it, against the service. */
import assert from "node:assert/strict"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { ROOT } from "../architecture/workspaces.ts"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import { startLyingProxy, type LyingProxy } from "../support/lying-proxy.ts"
import { findPython, runPython, type PythonEnd } from "../support/run-python.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

const EXAMPLE = join(ROOT, "packages/client/examples/python/make_picture.py")

const PYTHON = findPython("requests")

const skip =
  PYTHON !== undefined || process.env["CI"] !== undefined ? false : "no Python with requests"

describe("the example in Python", { skip }, () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let proxy: LyingProxy
  let folder: string

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    proxy = resources.use(await startLyingProxy(service.url))
    folder = resources.use(await createTemporaryFolder()).path
  })

  after(() => resources.disposeAsync())

  async function run(words: readonly string[], key = service.keys.whole): Promise<PythonEnd> {
    const env = { ...process.env, SAFELIGHT_URL: proxy.url, SAFELIGHT_API_KEY: key }
    return runPython(PYTHON, [EXAMPLE, ...words], { cwd: folder, env })
  }

  it("makes a picture, and the same one of the same order, though an answer is lost", async () => {
    let left = 1
    proxy.lie(
      ({ method }) => method === "POST" && left > 0,
      () => {
        left -= 1
        return "reset"
      },
    )
    const words = ["order-7", "first light", "picture.png"]
    const first = await run(words)
    assert.equal(first.code, 0, first.stderr)
    assert.deepEqual(await readFile(join(folder, "picture.png")), Buffer.alloc(1_024, 7))
    assert.equal((await run(words)).stdout, first.stdout)
    assert.equal(service.countStored().tasks, 1)
  })

  it("says in the service's words what is refused", async () => {
    const empty = await run(["order-8", "", "picture.png"])
    assert.equal(empty.code, 1)
    assert.match(empty.stderr, /^400 string_below_min_length: /)
    assert.match((await run(["a", "b", "c"], "none")).stderr, /^401 invalid_api_key: /)
    assert.match((await run([])).stderr, /^Makes a picture from Python/)
  })

  it("saves nothing whose bytes are wrong", async () => {
    proxy.lie(
      ({ path }) => path.endsWith("/content"),
      (answer) => ({ ...answer, body: Buffer.alloc(1_024, 8) }),
    )
    const { code, stderr } = await run(["order-9", "dusk", "wrong.png"])
    proxy.lie()
    assert.deepEqual([code, stderr.trim()], [1, "the picture is not whole"])
    await assert.rejects(readFile(join(folder, "wrong.png")), { code: "ENOENT" })
  })
})
