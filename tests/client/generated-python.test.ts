/**
 * The client's example in Python by generated code, as its user runs it. OpenAPI Generator is a program in Java: its
 * version here is the newest that an npm package ships, and it reads OpenAPI 3.0.
 */
import assert from "node:assert/strict"
import { execFile, spawnSync } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { ROOT } from "../architecture/workspaces.ts"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import { findPython, runPython, type PythonEnd } from "../support/run-python.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { toOpenApi30 } from "./to-openapi-30.ts"

const EXAMPLE = join(ROOT, "packages/client/examples/python/generated/make_picture.py")

const PYTHON = findPython("certifi, dateutil, six, urllib3")

const skip = process.env["CI"] === undefined && (findLack() ?? false)

function findLack(): string | undefined {
  if (spawnSync("java", ["-version"]).status !== 0) return "no Java"
  return PYTHON === undefined ? "no Python with certifi, dateutil, six and urllib3" : undefined
}

describe("the example in Python by a generated client", { skip }, () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let folder: string

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    folder = resources.use(await createTemporaryFolder()).path
    const document = await (await fetch(`${service.url}/openapi.json`)).json()
    const path = join(folder, "openapi.json")
    await writeFile(path, JSON.stringify(toOpenApi30(document as Record<string, unknown>)))
    const jar = import.meta.resolve("@openapitools/openapi-generator-cli/bin/openapi-generator.jar")
    const output = ["-o", join(folder, "generated"), "--package-name", "safelight_api"]
    const words = ["-jar", fileURLToPath(jar), "generate", "-g", "python", "-i", path, ...output]
    // It repeats the whole document in its warnings.
    await promisify(execFile)("java", words, { maxBuffer: 64 * 1024 * 1024 })
  })

  after(() => resources.disposeAsync())

  async function run(words: readonly string[], key = service.keys.whole): Promise<PythonEnd> {
    const own = { PYTHONPATH: join(folder, "generated"), PYTHONDONTWRITEBYTECODE: "1" }
    const env = { ...process.env, ...own, SAFELIGHT_URL: service.url, SAFELIGHT_API_KEY: key }
    return runPython(PYTHON, [EXAMPLE, ...words], { cwd: folder, env })
  }

  it("makes a picture, and the same one of the same order", async () => {
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
})
