/** `safelight models import`: from a provider's own description to a task that is served, and what it refuses. */
import assert from "node:assert/strict"
import { readFile, readdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, test, type TestContext } from "node:test"
import { STUBS } from "@safelight/testkit/stubs"
import { parseKey, runCommand, startServiceProcess, temporaryFolder } from "./command-process.ts"

async function startStub(t: TestContext, type: string): Promise<string> {
  const stub = (await STUBS[type]?.({ queueMs: 0, runMs: 0 })) ?? assert.fail(type)
  t.after(() => stub[Symbol.asyncDispose]())
  return stub.url
}

/** A provider that answers everything so. */
async function startServer(
  t: TestContext,
  answer: { readonly status?: number; readonly headers?: object; readonly body: string },
): Promise<{
  readonly url: string
  readonly asked: (string | undefined)[]
  readonly paths: (string | undefined)[]
}> {
  const asked: (string | undefined)[] = []
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization)
    paths.push(request.url)
    response.writeHead(answer.status ?? 200, { ...answer.headers })
    response.end(answer.body)
  })
  server.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, paths }
}

const FAL = ["models", "import", "fal", "fal-ai/flux/dev", "--as", "acme/some"]

describe("models import", () => {
  test("writes a file that is served once it has a price, and says what is to be checked", async (t) => {
    const folder = await temporaryFolder(t)
    const url = await startStub(t, "fal")
    const { code, stderr, stdout } = await runCommand([...FAL, "--url", url], { folder })
    assert.deepEqual([code, stderr], [0, ""])
    assert.match(stdout, /^models\/some\.json: acme\/some, made by fal \(FAL_KEY\)$/m)
    assert.match(stdout, /bounded here[^\n]*\n +\/parameters\/properties\/prompt\/maxLength 5000$/m)
    assert.match(stdout, /then safelight models check$/m)
    const path = join(folder, "models/some.json")
    const file = JSON.parse(await readFile(path, "utf8")) as Readonly<Record<string, unknown>>
    assert.deepEqual(file["outputs"], { image: "/num_images" })
    await writeFile(path, JSON.stringify({ ...file, price: { perImageMicros: 9 } }))
    const channels = [{ type: "fal", baseUrl: url }]
    const models = ["./models", { builtin: false }]
    await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ models, channels }))
    const service = await startServiceProcess(folder, [], { environment: { FAL_KEY: "a:b" } })
    const headers = {
      authorization: `Bearer ${parseKey(service.stdout())}`,
      "content-type": "application/json",
      prefer: "wait=60",
    }
    const body = JSON.stringify({
      model: "acme/some",
      parameters: { prompt: "fog", num_images: 2 },
    })
    const asked = await fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body })
    const { status, task_id: id } = (await asked.json()) as { status: string; task_id: string }
    assert.equal(status, "succeeded")
    const usage = await fetch(`${service.url}/v1/tasks/${id}/usage`, { headers })
    assert.equal(((await usage.json()) as { charge_micros: number }).charge_micros, 18)
  })

  test("reads a file in place of asking, and a model of Replicate with its key", async (t) => {
    const folder = await temporaryFolder(t)
    const url = await startStub(t, "replicate")
    const words = ["models", "import", "replicate", "acme/there", "--as", "acme/one"]
    const keyless = await runCommand(words, { folder })
    assert.equal(keyless.code, 2)
    assert.match(keyless.stderr, /set REPLICATE_API_TOKEN/)
    const environment = { REPLICATE_API_TOKEN: "token" }
    const asked = await runCommand([...words, "--url", url], { folder, environment })
    assert.equal(asked.code, 0, asked.stderr)
    const found = await fetch(`${url}/v1/models/acme/there`, {
      headers: { authorization: "Bearer token" },
    })
    await writeFile(join(folder, "there.json"), await found.text())
    const other = ["models", "import", "replicate", "acme/there", "--as", "acme/two"]
    const read = await runCommand([...other, "--from", "there.json"], { folder })
    assert.equal(read.code, 0, read.stderr)
    const [one, two] = await Promise.all(
      ["one", "two"].map(async (name) => {
        const text = await readFile(join(folder, `models/${name}.json`), "utf8")
        return JSON.parse(text) as Readonly<Record<string, unknown>>
      }),
    )
    assert.deepEqual({ ...one, id: "", sources: [] }, { ...two, id: "", sources: [] })
    assert.match(JSON.stringify(two?.["sources"]), /"address":"file:there\.json"/)
    assert.deepEqual(one?.["providers"], { replicate: "acme/there" })
    const again = await runCommand([...other, "--from", "there.json"], { folder })
    assert.equal(again.code, 2)
    assert.match(again.stderr, /models\/two\.json is there already/)
  })

  test("refuses a model whose file nothing would load", async (t) => {
    const folder = await temporaryFolder(t)
    const names = Array.from({ length: 900 }, (_, at) => [
      `p${at}`,
      { type: "boolean", description: "x".repeat(400) },
    ])
    const properties = { prompt: { type: "string" }, ...Object.fromEntries(names) }
    const schemas = {
      Input: { type: "object", properties },
      Output: { type: "string", format: "uri" },
    }
    await writeFile(join(folder, "large.json"), JSON.stringify({ components: { schemas } }))
    const words = [
      "models",
      "import",
      "replicate",
      "acme/there",
      "--as",
      "acme/x",
      "--kind",
      "image",
    ]
    const { code, stderr } = await runCommand([...words, "--from", "large.json"], { folder })
    assert.equal(code, 2)
    assert.match(stderr, /would be larger than 262144 bytes/)
    assert.deepEqual(await readdir(folder), ["large.json"])
  })

  test("asks for the version that is named, and for no other", async (t) => {
    const folder = await temporaryFolder(t)
    const { paths, url } = await startServer(t, { body: "{}" })
    const endpoint = `acme/there:${"ab".repeat(32)}`
    const words = ["models", "import", "replicate", endpoint, "--as", "acme/x", "--url", url]
    await runCommand(words, { folder, environment: { REPLICATE_API_TOKEN: "token" } })
    assert.deepEqual(paths, [`/v1/models/acme/there/versions/${"ab".repeat(32)}`])
  })

  test("refuses wrong words before anything is asked", async (t) => {
    const folder = await temporaryFolder(t)
    for (const [words, message] of [
      [["kling", "a/b", "--as", "acme/x"], /from fal and replicate, not kling/],
      [["fal", "fal-ai", "--as", "acme/x"], /fal-ai is no name of a model/],
      [["fal", "fal-ai/../x", "--as", "acme/x"], /is no name of a model/],
      [["fal", "a/b", "--as", "../x"], /--as is \.\.\/x/],
      [["fal", "a/b", "--as", "acme/x", "--kind", "hologram"], /--kind is hologram/],
      [["fal", "a/b", "--as", "acme/x", "--url", "ftp://a"], /--url is ftp:/],
      [["fal", "a/b", "--as", "acme/x", "--from", "none.json"], /none\.json can't be read: ENOENT/],
    ] as const) {
      const { code, stderr } = await runCommand(["models", "import", ...words], { folder })
      assert.equal(code, 2, stderr)
      assert.match(stderr, message)
    }
    assert.deepEqual(await readdir(folder), [])
  })

  test("writes nothing where the provider's answer is of no use, and sends its key nowhere else", async (t) => {
    const folder = await temporaryFolder(t)
    const elsewhere = await startServer(t, { body: "{}" })
    const words = ["models", "import", "replicate", "acme/there", "--as", "acme/x", "--url"]
    for (const [answer, message] of [
      [{ body: "<html>" }, /is no JSON/],
      [{ body: "[]" }, /\/components\/schemas\/Input is not in the document/],
      [{ body: `{"a":"${"x".repeat(5_000_000)}"}` }, /is larger than 4194304 bytes/],
      [{ body: "", status: 404 }, /was answered 404: it has no such model/],
      [{ body: "", status: 401 }, /was answered 401: it takes no such key/],
      [{ body: "", status: 302, headers: { location: elsewhere.url } }, /leads elsewhere/],
    ] as const) {
      const { asked, url } = await startServer(t, answer)
      const environment = { REPLICATE_API_TOKEN: "secret-token" }
      const { code, stderr } = await runCommand([...words, url], { folder, environment })
      assert.equal(code, 2)
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /secret-token/)
      assert.deepEqual(asked, ["Bearer secret-token"])
    }
    assert.deepEqual(elsewhere.asked, [])
    assert.deepEqual(await readdir(folder), [])
  })
})
