/**
 * The document as the makers of clients use it: types are generated from what a running service
 * answers, a program is compiled against them as strictly as the project itself, and then run
 * against that service. Nothing that is generated is kept.
 */
import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { createCheckedFetch } from "../../support/openapi-response.ts"
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts"
import { compile, generateTypes, type CompileError } from "./compile-client.ts"
import { PROGRAM, WRONG_PROGRAM } from "./client-programs.ts"
import { createInProcessService, type InProcessService } from "../in-process-service.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"

interface Options {
  readonly url: string
  readonly key: string
  readonly fetch: (request: Request) => Promise<Response>
}

/** What the program exports. */
interface Program {
  make(options: Options, body: object): Promise<object>
  look(options: Options, id: string): Promise<string>
  refuse(options: Options, body: object): Promise<readonly string[]>
}

let service: InProcessService
let folder: TemporaryFolder
let errors: readonly CompileError[]

before(async () => {
  service = await createInProcessService()
  service.engine.start()
  folder = await createTemporaryFolder()
  const document = await (await fetch(`${service.url}/openapi.json`)).text()
  errors = await compile(folder.path, {
    "api.ts": await generateTypes(document),
    "program.ts": PROGRAM,
    "wrong.ts": WRONG_PROGRAM,
  })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

describe("a generated client", () => {
  it("compiles, the parameters being told apart by the model and the errors by their code", () => {
    const found = errors.filter(({ file }) => file !== "wrong.ts")
    assert.deepEqual(found, [])
  })

  it("does not compile where a name, a value or a path is none of the service's", () => {
    const lines = WRONG_PROGRAM.split("\n")
    const marked = lines.flatMap((line, index) => (line.endsWith("// wrong") ? [index + 1] : []))
    const found = errors.filter(({ file }) => file === "wrong.ts").map(({ line }) => line)
    assert.deepEqual([...new Set(found)], marked)
  })

  it("makes a task and sees it succeed", async () => {
    const { program, options } = await load()
    const body = { model: PICTURE, parameters: { prompt: "a lighthouse", size: "square" } }
    const made = await program.make(options, body)
    assert.deepEqual(made, { status: "succeeded", error: null, keys: ["image_1"] })
  })

  it("is told by a code what is not there, and what is wrong with a request", async () => {
    const { program, options } = await load()
    assert.equal(await program.look(options, crypto.randomUUID()), "nothing there")
    const image_urls = ["https://media.example/a.png"]
    const parameters = { prompt: "", image_urls, count: 5 }
    const refused = await program.refuse(options, { model: EDIT, parameters })
    assert.deepEqual(refused, ["parameters.count"])
  })
})

async function load(): Promise<{ program: Program; options: Options }> {
  const url = pathToFileURL(join(folder.path, "program.ts")).href
  const { url: base, keys } = service
  const options = { url: base, key: keys.whole, fetch: createCheckedFetch(fetch) }
  return { program: (await import(url)) as Program, options }
}
