/** The handler below a host's prefix, by the bridges that its README shows, and what a host can leave out. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, it } from "node:test"
import { getRequestListener } from "@hono/node-server"
import { MODELS } from "@safelight/core"
import { Hono } from "hono"
import { putArtifact, taskId, toTask } from "./fake-service.ts"
import { creation, createWorld, VALID, WORLDS, type World, type WorldOptions } from "./worlds.ts"

const PREFIX = "/media/api"

describe("a public URL with a path", () => {
  for (const kind of WORLDS) {
    it(`stands before every path that is answered, ${kind}`, async () => {
      await using world = await open(kind)
      const accepted = await world.call("/v1/tasks", creation())
      const { task_id: id, links } = (await accepted.json()) as Shown
      const own = `${PREFIX}/v1/tasks/${id}`
      assert.equal(accepted.headers.get("location"), own)
      assert.deepEqual(links, { self: own, artifacts: `${own}/artifacts` })

      world.fake.put(toTask(taskId(1)))
      const shown = (await (await world.call(`/v1/tasks/${taskId(1)}`)).json()) as Shown
      assert.equal(shown.links.self, `${PREFIX}/v1/tasks/${taskId(1)}`)
      const listed = (await (await world.call("/v1/tasks")).json()) as { tasks: Shown[] }
      assert.ok(listed.tasks.every(({ links: each }) => each.self.startsWith(PREFIX)))

      const artifact = putArtifact(world.fake, Buffer.from("pixels"), { id: taskId(2) })
      const finished = await world.call(`/v1/tasks/${artifact.id}/artifacts`)
      assert.match(await finished.text(), /"https:\/\/media\.example\/media\/api\/v1\/tasks\//)
      const document = (await (await world.bare("/openapi.json")).json()) as Document
      assert.deepEqual(
        document.servers.map(({ url }) => url),
        [PREFIX],
      )
    })
  }
})

describe("a handler below a host's prefix", () => {
  it("is followed from Location to the bytes, in a Hono application", async () => {
    await using world = await open("in process")
    const host = new Hono()
    host.mount(PREFIX, (request) => world.handler.fetch(request))
    await followAll(world, (path, init) => host.fetch(new Request(`http://a${path}`, init)))
  })

  it("is followed from Location to the bytes, where a Node framework strips the prefix", async () => {
    await using world = await open("in process")
    const listener = getRequestListener((request) => world.handler.fetch(request))
    await using host = await listen((incoming, outgoing) => {
      strip(incoming)
      void listener(incoming, outgoing)
    })
    await followAll(world, (path, init) => fetch(`${host.url}${path}`, init))
  })

  it("says so where something before it has read the body", async () => {
    await using world = await open("in process")
    const listener = getRequestListener((request) => world.handler.fetch(request))
    await using host = await listen((incoming, outgoing) => {
      strip(incoming)
      incoming.resume()
      incoming.once("end", () => void listener(incoming, outgoing))
    })
    const headers = { ...creation().headers, authorization: `Bearer ${world.key}` }
    const body = JSON.stringify(VALID)
    const init = { method: "POST", headers, body }
    const response = await fetch(`${host.url}${PREFIX}/v1/tasks`, init)
    assert.equal(response.status, 400)
    assert.match(await response.text(), /has read it, such as express\.json\(\)/)
    assert.deepEqual(world.fake.submitted, [])
  })
})

describe("what a caller is pointed to", () => {
  it("are the models that there are, where it names another", async () => {
    await using world = await open("in process")
    const response = await world.call("/v1/tasks", creation({ ...VALID, model: "none/v1" }))
    const { error } = (await response.json()) as { error: { message: string } }
    const ids = MODELS.map(({ id }) => id).join(", ")
    assert.equal(error.message, `The model none/v1 does not exist. Choose one of: ${ids}.`)
  })

  it("is the description of the API, at the address itself", async () => {
    await using world = await open("in process")
    const response = await world.bare("/")
    assert.equal(response.status, 404)
    assert.match(await response.text(), /described at \/docs, programs at \/openapi\.json/)
  })

  it("is nothing where the host leaves the reference out", async () => {
    await using world = await open("in process", { hasReference: false })
    for (const path of ["/docs", "/docs/start.js", "/openapi.json"]) {
      const response = await world.handler.fetch(new Request(`http://a${path}`))
      assert.equal(response.status, 404)
    }
    assert.doesNotMatch(await (await world.bare("/")).text(), /docs/)
  })
})

interface Shown {
  readonly task_id: string
  readonly links: { readonly self: string; readonly artifacts: string }
}

interface Document {
  readonly servers: readonly { readonly url: string }[]
}

type Call = (path: string, init: RequestInit) => Response | Promise<Response>

/** From the creation by what each answer names. */
async function followAll(world: World, call: Call): Promise<void> {
  const headers = { ...creation().headers, authorization: `Bearer ${world.key}` }
  const body = JSON.stringify(VALID)
  const accepted = await call(`${PREFIX}/v1/tasks`, { method: "POST", headers, body })
  assert.equal(accepted.status, 202)
  const { links } = (await accepted.json()) as Shown
  const location = accepted.headers.get("location") ?? ""
  const shown = await call(location, { headers })
  assert.equal(shown.status, 200)
  await shown.arrayBuffer()
  const id = location.slice(location.lastIndexOf("/") + 1)
  putArtifact(world.fake, Buffer.from("pixels"), { id })
  const listed = (await (await call(links.artifacts, { headers })).json()) as {
    artifacts: { content_url: string }[]
  }
  const { pathname } = new URL(listed.artifacts[0]?.content_url ?? "")
  assert.equal(await (await call(pathname, { headers })).text(), "pixels")
}

/** As Express does for what is mounted with `app.use(PREFIX, …)`. */
function strip(incoming: IncomingMessage): void {
  incoming.url = (incoming.url ?? "").slice(PREFIX.length)
}

async function listen(serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  const server = createServer(serve)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

async function open(kind: (typeof WORLDS)[number], options: WorldOptions = {}) {
  const publicUrl = (): string => `https://media.example${PREFIX}/`
  return createWorld(kind, { publicUrl, ...options })
}
