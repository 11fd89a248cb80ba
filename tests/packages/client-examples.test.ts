/**
 * The examples of the client, installed from the packed tarballs, before a service: each orders a picture once,
 * takes the service's webhook and nobody else's, and then has the picture's link.
 */
import assert from "node:assert/strict"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, type Client } from "@safelight/client"
import { createService, DEFAULTS, type Service } from "safelight"
import { findFreePort } from "../support/free-port.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { startExample, type ExampleServer } from "./example-server.ts"
import { installPackages, skipElsewhere, type Installation } from "./install-packages.ts"

/**
 * Next.js itself does not run here, since its build takes longer than all other tests of the packages together: its
 * requests are made, and its routes found, by these lines.
 */
const NEXT = `
import { serve } from "@hono/node-server"
import { NextRequest } from "next/server.js"
import * as pictures from "../../client-examples/next/app/pictures/route.ts"
import * as picture from "../../client-examples/next/app/pictures/[task]/route.ts"
import * as webhook from "../../client-examples/next/app/webhook/route.ts"

async function answer(request) {
  const { headers, method, url } = request
  const [, first, task] = new URL(url).pathname.split("/")
  const body = method === "POST" ? await request.text() : null
  const asked = new NextRequest(url, { method, headers, body })
  if (first === "webhook") return webhook[method](asked)
  if (task === undefined) return pictures[method](asked)
  return picture[method](asked, { params: Promise.resolve({ task }) })
}

const port = Number(process.env.PORT)
const server = serve({ fetch: answer, hostname: "127.0.0.1", port }, () => {
  console.log("http://127.0.0.1:" + port)
})
process.once("SIGTERM", () => server.close())
`

describe("an example of the client", { skip: skipElsewhere }, () => {
  const resources = new AsyncDisposableStack()
  let installation: Installation
  let service: Service
  let client: Client
  let key: string

  before(async () => {
    installation = await installPackages()
    const next = join(installation.folder, "running/next-routes")
    await mkdir(next, { recursive: true })
    await writeFile(join(next, "server.mjs"), NEXT)
    const { path: data } = resources.use(await createTemporaryFolder())
    const webhooks = { allowedAddresses: ["127.0.0.1/32"] }
    const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data, webhooks }
    service = await createService({ configuration })
    resources.defer(() => service.stop())
    key = (await createKey({ keys: service.storage, account: "me", now: Date.now() })).key
    client = createClient({ url: service.url, key })
  })

  after(() => resources.disposeAsync())

  /** With a webhook of its own, whose secret it must know when it starts. */
  async function start(path: string): Promise<ExampleServer> {
    const port = await findFreePort()
    const hook = await client.webhooks.create({ url: `http://127.0.0.1:${port}/webhook` })
    return startExample(installation.folder, path, {
      PORT: String(port),
      SAFELIGHT_URL: service.url,
      SAFELIGHT_API_KEY: key,
      SAFELIGHT_WEBHOOK_SECRET: hook.secret,
    })
  }

  const paths = {
    Express: "client-examples/express/server.ts",
    Fastify: "client-examples/fastify/server.ts",
    Hono: "client-examples/hono/server.ts",
    "Next.js": "running/next-routes/server.mjs",
  }
  for (const [name, path] of Object.entries(paths)) {
    it(`on ${name} orders a picture once, and has its link when the service has said so`, async () => {
      await using server = await start(path)
      const order = { order: name, prompt: "first light" }
      const first = await post(`${server.url}/pictures`, order)
      assert.equal(first.status, 202)
      const { task } = first.body as { task: string }
      assert.deepEqual(await post(`${server.url}/pictures`, order), first)
      assert.equal((await post(`${server.url}/pictures`, { order: name })).status, 400)
      assert.equal(
        (await post(`${server.url}/pictures`, { ...order, order: "o", prompt: "" })).status,
        400,
      )

      const forged = { type: "task.succeeded", data: { task_id: task } }
      assert.equal((await post(`${server.url}/webhook`, forged)).status, 401)

      const look = (): Promise<Response> => fetch(`${server.url}/pictures/${task}`)
      const shown = await until(look, ({ status }) => status === 200)
      const { url } = (await shown.json()) as { url: string }
      const picture = Buffer.from(await (await fetch(url)).arrayBuffer())
      assert.equal(picture.subarray(1, 4).toString(), "PNG")
      assert.equal(await server.stop(), 0)
    })
  }
})

async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
