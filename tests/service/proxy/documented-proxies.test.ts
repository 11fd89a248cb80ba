/** The service behind the proxies of the page about deploying, configured as that page says. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, describe, it } from "node:test"
import { createClient } from "@safelight/client"
import { ROUTES } from "@safelight/http"
import { until } from "../../support/until.ts"
import { createInProcessService, type InProcessService } from "../in-process-service.ts"
import { skipWithout, startProxy, type Proxy, type ProxyKind } from "./proxy-process.ts"

const MODEL = "vendor-a/v4.1/flash/text-to-image"

function describeProxy(kind: ProxyKind): void {
  describe(`behind ${kind}`, { skip: skipWithout(kind) }, () => {
    const resources = new AsyncDisposableStack()
    let service: InProcessService
    let proxy: Proxy
    let headers: Readonly<Record<string, string>>
    let artifact: { readonly content: string; readonly id: string }

    before(async () => {
      service = resources.use(await createInProcessService())
      proxy = resources.use(await startProxy(kind, service.url))
      headers = { authorization: `Bearer ${service.keys.whole}` }
    })

    after(() => resources.disposeAsync())

    it("a stream brings each event at once", async () => {
      const client = createClient({ url: proxy.url, key: service.keys.whole })
      const { task_id: id } = await client.submit(MODEL, { prompt: "first light" })
      const response = await fetch(`${proxy.url}/v1/tasks/${id}/stream`, { headers })
      const reader = (response.body ?? assert.fail("no body")).getReader()
      const decoder = new TextDecoder()
      let text = ""
      const readTo = async (word: string): Promise<void> => {
        while (!text.includes(word)) {
          const { done, value } = await reader.read()
          if (done) assert.fail(`the stream ended before ${word}: ${text}`)
          text += decoder.decode(value, { stream: true })
        }
      }
      // Nothing else follows before the engine starts: a proxy that gathers events would never send this one.
      await readTo("task.submitted")
      service.engine.start()
      await readTo("task.succeeded")
      artifact = { id, content: `${proxy.url}/v1/tasks/${id}/artifacts/image_1/content` }
    })

    it("a download keeps its ranges, its entity tag and its digest", async () => {
      const direct = artifact.content.replace(proxy.url, service.url)
      const ranged = { ...headers, range: "bytes=10-19", "accept-encoding": "gzip" }
      const [there, here] = await Promise.all(
        [direct, artifact.content].map(async (url) => fetch(url, { headers: ranged })),
      )
      assert.ok(there !== undefined && here !== undefined)
      assert.equal(here.status, 206)
      for (const name of ["content-range", "content-length", "etag", "repr-digest"]) {
        assert.equal(here.headers.get(name), there.headers.get(name), name)
        assert.ok(here.headers.has(name), name)
      }
    })

    it("a large body reaches the service, which refuses it in its own form", async () => {
      const parameters = { prompt: "x".repeat(3 * 1024 * 1024) }
      const response = await fetch(`${proxy.url}/v1/tasks`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ model: MODEL, parameters }),
      })
      const { error } = (await response.json()) as { readonly error: { readonly code: string } }
      assert.match(error.code, /^[a-z_]+$/)
      assert.ok(response.headers.has("x-request-id"))
    })

    it("the token of a private link is in no line of its log", async () => {
      const client = createClient({ url: service.url, key: service.keys.whole })
      const link = new URL(await client.artifact(artifact.id, "image_1").url())
      const token = link.searchParams.get("access") ?? assert.fail("no token")
      const shown = await fetch(`${proxy.url}${link.pathname}${link.search}`)
      assert.equal(shown.status, 200)
      await shown.arrayBuffer()
      const lines = (): number => proxy.readLog().split(link.pathname).length - 1
      await until(() => lines() >= 2)
      assert.ok(!proxy.readLog().includes(token.slice(-20)))
      assert.ok(!proxy.readLog().includes(service.keys.whole))
    })

    it("the tokens of inputs and callbacks are in no line of its log", async () => {
      await askAll(proxy.url)
      const shown = () => SECRET_PATHS.filter(({ start }) => proxy.readLog().includes(start))
      await until(() => shown().length === SECRET_PATHS.length)
      assertNoToken(proxy)
    })

    it("no token is in a line about a service that breaks off", async () => {
      const broken = createServer((request, response) => {
        if (request.url === "/healthz") response.end()
        else request.socket.destroy()
      })
      await once(broken.listen(0, "127.0.0.1"), "listening")
      resources.defer(() => {
        broken.close().closeAllConnections()
      })
      const { port } = broken.address() as AddressInfo
      await using standing = await startProxy(kind, `http://127.0.0.1:${port}`)
      assert.deepEqual(new Set(await askAll(standing.url)), new Set([502]))
      const lines = () =>
        standing
          .readLog()
          .split("\n")
          .filter((line) => /\b502\b/.test(line)).length
      await until(() => lines() >= SECRET_PATHS.length)
      assertNoToken(standing)
    })
  })
}

const TOKEN = "v1.tokenOfNobodyAtAll"

/** Of every address that is its own permission: the token, and what stands before it. */
const SECRET_PATHS = [
  { method: "GET", path: "/v1/inputs/:token", start: "/v1/inputs/" },
  {
    method: "POST",
    path: "/v1/channels/:channel/callback/:key",
    start: "/v1/channels/fal/callback/",
  },
  {
    method: "GET",
    path: "/v1/tasks/:task/artifacts/:key/content",
    start: "/v1/tasks/none/artifacts/image_1/content",
    end: "?access=",
  },
]

/** The status of each. */
async function askAll(url: string): Promise<readonly number[]> {
  const asked = SECRET_PATHS.map(async ({ method, start, end = "" }) => {
    const target = `${url}${start}${end}${TOKEN}`
    const response = await fetch(target, { method, headers: { referer: target } })
    await response.arrayBuffer()
    return response.status
  })
  return Promise.all(asked)
}

function assertNoToken(proxy: Proxy): void {
  assert.ok(!proxy.readLog().includes(TOKEN), "its log holds a token")
  assert.ok(!proxy.readErrors().includes(TOKEN), "its error log holds a token")
}

describe("the paths that the proxies hide", () => {
  it("are those of the service", () => {
    const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`))
    const strangers = SECRET_PATHS.filter(({ method, path }) => !known.has(`${method} ${path}`))
    assert.deepEqual(strangers, [])
  })
})

describeProxy("nginx")
describeProxy("caddy")
