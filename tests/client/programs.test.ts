/**
 * The client's types as its users meet them: as generated from the service's schemas, and in programs that
 * must or must not compile, on Node and with a browser's types alone.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { ROOT } from "../architecture/workspaces.ts"
import { compile, type CompileError } from "../service/generated/compile-client.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { buildClient } from "./build-client.ts"
import { generateClientTypes } from "./client-types.ts"

const RIGHT = `
import { createClient, isApiError, verifyWebhook, type ModelParameters } from "@safelight/client"

declare module "@safelight/client" {
  interface ModelParameters {
    "mine/one": { readonly words: string }
  }
}

export const client = createClient({ url: "https://service.example", key: "k", fetch })
export const picture = await client.run("vendor-a/v4.1/flash/text-to-image", {
  prompt: "first light",
  size: "square",
  colors: [{ r: 1 }],
  background_color: undefined,
})
export const film = await client.submit(
  "vendor-c/video-2.5/reference-to-video",
  { image_urls: ["https://media.example/a.png"] as const, duration: 4 },
  { signal: AbortSignal.timeout(1_000) },
)
export const mine = await client.run("mine/one", { words: "" })
export const parameters: ModelParameters["vendor-b/imagine-image/v2.0/edit"] = {
  prompt: "",
  image_urls: [],
}
const known = String(Date.now())
export const later = await client.submit(known, { anything: 1 })
const blob: Blob = await picture.artifact("image_1").blob()
const stream: ReadableStream<Uint8Array> = await picture.artifact("image_1").stream()
export const both = [blob.size, stream.locked]
for await (const { error } of client.list({ status: "failed" })) {
  if (error?.code === "task_cancelled") break
}
export async function look(): Promise<string> {
  try {
    return (await client.get("")).status
  } catch (error) {
    if (!isApiError(error)) throw error
    return error.code === "task_not_found" ? "none" : (error.param ?? error.code)
  }
}
export const { payload } = await verifyWebhook({ headers: new Headers(), body: "", secret: "" })
`

const WRONG = `
import { createClient } from "@safelight/client"

const client = createClient({ url: "https://service.example", key: "k" })
const picture = "vendor-a/v4.1/flash/text-to-image"
await client.run(picture, { prompt: "", size: "huge" }) // wrong
await client.run(picture, { promt: "" }) // wrong
await client.run(picture, {}) // wrong
await client.run(picture, { prompt: "", duration: 4 }) // wrong
await client.run("vendor-a/v4.1/flash/text-to-imag", { prompt: "" }) // wrong
await client.run("vendor-b/imagine-image/v2.0/edit", { prompt: "", image_urls: [], sync_mode: true }) // wrong
const task = await client.get("")
export const id = task.taskId // wrong
export const isDone = task.status === "done" // wrong
client.list({ state: "failed" }) // wrong
createClient({ url: "https://service.example" }) // wrong
createClient({ url: "https://service.example", key: "k", settings: { tris: 1 } }) // wrong
`

/** Of a program that has a browser's types and no others; what the client declares is checked too. */
const BROWSER = {
  types: [],
  lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
  skipLibCheck: false,
}

describe("the client's types", () => {
  it("are those of the service's schemas, as generated", async () => {
    for (const [path, text] of Object.entries(await generateClientTypes())) {
      const how = `${path} is older than the schemas; run \`npm run client:update\` and commit it`
      assert.equal(readFileSync(join(ROOT, path), "utf8"), text, how)
    }
  })
})

describe("a program against the client as it is published", () => {
  const resources = new AsyncDisposableStack()
  let errors: readonly CompileError[]
  let inBrowser: readonly CompileError[]

  before(async () => {
    const built = await buildClient()
    const paths = { "@safelight/client": [built.types] }
    const [one, other] = [await createTemporaryFolder(), await createTemporaryFolder()]
    for (const folder of [one, other]) resources.use(folder)
    errors = await compile(one.path, { "right.ts": RIGHT, "wrong.ts": WRONG }, { paths })
    inBrowser = await compile(other.path, { "right.ts": RIGHT }, { paths, ...BROWSER })
  })

  after(() => resources.disposeAsync())

  it("compiles: models of its own, and ids that are known at run time alone, included", () => {
    assert.deepEqual(
      errors.filter(({ file }) => file !== "wrong.ts"),
      [],
    )
  })

  it("compiles with a browser's types alone", () => assert.deepEqual(inBrowser, []))

  it("does not compile where a name or a value is none of the service's", () => {
    const marked = WRONG.split("\n").flatMap((line, index) =>
      line.endsWith("// wrong") ? [index + 1] : [],
    )
    const found = errors.filter(({ file }) => file === "wrong.ts").map(({ line }) => line)
    assert.deepEqual([...new Set(found)], marked)
  })
})
