/** Messages that no client of good will sends, at both doors: each is answered or left out, and the door goes on. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline/promises"
import { after, before, describe, it, type TestContext } from "node:test"
import { COMPILED } from "../../support/own-process.ts"
import { until } from "../../support/until.ts"
import { BIN } from "../command/command-process.ts"
import { EDIT, IMAGE, openAgentWorld, type AgentWorld } from "./agent-world.ts"

const SECRET = "the words of a prompt"
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

function toCall(name: string, given: unknown, id: unknown = 1): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: given },
  })
}

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 99, method: "tools/list" })

let world: AgentWorld
before(async () => {
  world = await openAgentWorld()
})
after(() => world[Symbol.asyncDispose]())

describe("/mcp", () => {
  function send(
    body: string | undefined,
    more: Record<string, string> = {},
    method = "POST",
  ): Promise<Response> {
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      authorization: `Bearer ${world.key}`,
      ...more,
    }
    return fetch(`${world.service.url}/mcp`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
  }

  const REFUSED: readonly [string, string, Record<string, string>, number, RegExp][] = [
    ["no JSON", "{", {}, 400, /invalid_json/],
    ["a member twice", '{"jsonrpc":"2.0","id":1,"id":2}', {}, 400, /duplicate_key/],
    ["too deep", deep(40), {}, 400, /json_too_complex/],
    ["too many values", JSON.stringify(Array(20_000).fill(0)), {}, 400, /json_too_complex/],
    ["a batch", `[${LIST},${LIST}]`, {}, 400, /-32600/],
    ["null", "null", {}, 400, /-32600/],
    ["no message of the protocol", '{"id":1}', {}, 400, /-32700/],
    ["a session that is none", LIST, { "mcp-session-id": "../x" }, 404, /-32001/],
    ["an unknown version", LIST, { "mcp-protocol-version": "1999-01-01" }, 400, /version/],
    ["an answer that can't be read", LIST, { accept: "text/html" }, 406, /text\/event-stream/],
    ["another type", LIST, { "content-type": "text/plain" }, 415, /unsupported_media_type/],
    ["a page of a stranger", LIST, { origin: "https://evil.example" }, 403, /-32000/],
    ["a page without origin", LIST, { origin: "null" }, 403, /-32000/],
    ["no key", LIST, { authorization: "" }, 401, /api_key/],
    ["a cost that is no number", LIST, { "safelight-max-cost-micros": "-1" }, 400, /invalid_value/],
  ]
  for (const [what, body, headers, status, words] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const response = await send(body, headers)
      assert.equal(response.status, status)
      assert.match(response.headers.get("x-request-id") ?? "", /^req_/)
      assert.match(await response.text(), words)
    })
  }

  it("refuses a body over the bound before it is parsed", async () => {
    const body = toCall("generate_image", { model: IMAGE, parameters: { prompt: "x".repeat(5e6) } })
    const response = await send(body)
    assert.equal(response.status, 413)
    assert.match(await response.text(), /request_too_large/)
  })

  it("lets the service's own pages speak to it", async () => {
    const response = await send(LIST, { origin: new URL(world.service.publicUrl).origin })
    assert.equal(response.status, 200)
    assert.match(await response.text(), /generate_image/)
  })

  it("has nothing to say by itself, and keeps no session that could be ended", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await send(undefined, {}, method)
      assert.equal(response.status, 405)
      assert.equal(response.headers.get("allow"), "POST, OPTIONS")
    }
  })

  it("knows no tool and no method by names of prototypes", async () => {
    for (const name of ["__proto__", "constructor", "toString", ""]) {
      const answered = await (await send(toCall(name, {}))).text()
      assert.match(answered, /-32602/)
      const method = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name })
      assert.match(await (await send(method)).text(), /-32601/)
    }
    const long = await (await send(toCall("x".repeat(100_000), {}))).text()
    assert.ok(long.length < 1_000)
  })

  it("is not there if the configuration says so", async () => {
    await using quiet = await openAgentWorld({ mcp: false })
    const headers = { authorization: `Bearer ${quiet.key}`, "content-type": "application/json" }
    const response = await fetch(`${quiet.service.url}/mcp`, {
      method: "POST",
      headers,
      body: LIST,
    })
    assert.equal(response.status, 404)
  })
})

describe("safelight mcp", () => {
  function start(t: TestContext) {
    const { HOME = "", PATH = "" } = process.env
    const environment = { HOME, PATH, NODE_COMPILE_CACHE: COMPILED, SAFELIGHT_API_KEY: world.key }
    const words = [BIN, "mcp", "--url", world.service.url]
    const child = spawn(process.execPath, words, { env: environment })
    t.after(() => child.kill("SIGKILL"))
    child.stdin.on("error", () => {})
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return {
      child,
      stderr: () => stderr,
      write: (text: string) => child.stdin.write(`${text}\n`),
      async read(): Promise<Record<string, unknown>> {
        const { value } = await lines.next()
        // Each line is a message: nothing else is ever on standard output.
        return JSON.parse(value as string) as Record<string, unknown>
      },
    }
  }

  it("leaves out what is no message, says so without its words, and goes on", async (t) => {
    const { read, stderr, write } = start(t)
    write(`{ ${SECRET}`)
    write(JSON.stringify({ [SECRET]: SECRET }))
    write(deep(100_000))
    write(LIST)
    assert.equal((await read())["id"], 99)
    // What it wrote before to another pipe may be read after.
    await until(() => /^safelight: a message was left out[^\n]*\n/.test(stderr()))
    assert.ok(!stderr().includes(SECRET))
  })

  it("answers calls whose arguments are deep, many or named like prototypes", async (t) => {
    const { read, stderr, write } = start(t)
    const parameters: unknown = JSON.parse(deep(20_000))
    const given = [
      { model: IMAGE, parameters: { prompt: SECRET, [SECRET]: parameters } },
      {
        model: IMAGE,
        parameters: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, n])),
      },
    ]
    for (const [id, each] of given.entries()) {
      const text = toCall("generate_image", { ...each, parameters: 0 }, id)
      const own =
        id === 0 ? `{"prompt":"x","deep":${deep(20_000)}}` : JSON.stringify(each.parameters)
      write(text.replace('"parameters":0', `"parameters":${own}`))
      const answer = JSON.stringify(await read())
      assert.match(answer, /json_too_complex|internal_error/)
    }
    write(toCall("constructor", {}, 3))
    assert.match(JSON.stringify(await read()), /-32602/)
    write(LIST)
    assert.equal((await read())["id"], 99)
    assert.ok(!stderr().includes(SECRET))
  })

  it("takes a message with an image of twenty megabytes", async (t) => {
    const { read, write } = start(t)
    const image = `data:image/png;base64,${"A".repeat(27_000_000)}`
    write(toCall("edit_image", { model: EDIT, parameters: { prompt: "x", image_urls: [image] } }))
    // It came through whole: what it holds is no image.
    assert.match(JSON.stringify(await read()), /unsupported_media_type/)
  })

  it("agrees on a version that it speaks with a client that asks for another", async (t) => {
    const { read, write } = start(t)
    const params = {
      protocolVersion: "1999-01-01",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    }
    write(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }))
    const { result } = (await read()) as { result: { protocolVersion: string } }
    assert.match(result.protocolVersion, /^20\d\d-\d\d-\d\d$/)
  })

  it("ends with an error on a message without end", async (t) => {
    const { child, stderr } = start(t)
    const piece = "x".repeat(1024 * 1024)
    for (let sent = 0; sent < 40; sent += 1) child.stdin.write(piece)
    const [code] = (await once(child, "close")) as [number]
    assert.equal(code, 2)
    assert.match(stderr(), /^safelight: standard input: a message is longer than the door takes\n$/)
  })

  it("ends when nobody reads it any more", async (t) => {
    const { child, stderr, write } = start(t)
    child.stdout.destroy()
    write(LIST)
    assert.deepEqual(await once(child, "close"), [0, null])
    assert.equal(stderr(), "")
  })

  it("ends when its input ends, and when it is asked to by a signal", async (t) => {
    const one = start(t)
    one.child.stdin.end()
    assert.deepEqual(await once(one.child, "close"), [0, null])
    const two = start(t)
    two.write(LIST)
    await two.read()
    two.child.kill("SIGTERM")
    assert.deepEqual(await once(two.child, "close"), [0, null])
    assert.equal(two.stderr(), "")
  })
})
