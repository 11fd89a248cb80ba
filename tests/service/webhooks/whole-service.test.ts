/**
 * Webhooks of a whole service: made with the client, sent to a receiver on a socket, verified as a receiver
 * would, and looked at with the commands.
 */
import assert from "node:assert/strict"
import { readdir, readFile } from "node:fs/promises"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { createKey } from "@safelight/access"
import { createClient, isApiError, verifyWebhook, type Client } from "@safelight/client"
import { textToImage } from "@safelight/core"
import { createService, DEFAULTS, type Service } from "safelight"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"
import { runCommand } from "../command/command-process.ts"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const PARAMETERS = { prompt: "first light" }

describe("webhooks of a service", { timeout: 120_000 }, () => {
  const places = new AsyncDisposableStack()
  const { entries, log } = createLogRecorder()
  const received: Received[] = []
  let status = 200
  let service: Service
  let client: Client
  let key: string
  let hook: string
  let folder: string

  before(async () => {
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        response.writeHead(status).end("noted")
      })
    })
    await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve))
    places.defer(() => void receiver.close())
    hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?token=a-secret-token`
    const data = places.use(await createTemporaryFolder())
    folder = data.path
    const configuration = {
      ...DEFAULTS,
      port: 0,
      stopGraceMs: 0,
      data: folder,
      webhooks: { allowedAddresses: ["127.0.0.1/32"], endpointsPerAccount: 3 },
    }
    service = await createService({ configuration, log })
    places.defer(() => service.stop())
    const made = await createKey({ keys: service.storage, account: "acme", now: Date.now() })
    key = made.key
    client = createClient({ url: service.url, key })
  })

  after(() => places.disposeAsync())

  const findReceived = (part: string): Received[] =>
    received.filter(({ body }) => body.includes(part))

  it("tell that a task succeeded, as GET shows it, so that a receiver can verify it", async () => {
    const { id, secret, events } = await client.webhooks.create({ url: hook })
    assert.deepEqual(events, ["task.succeeded", "task.failed"])
    const task = await client.run(textToImage.id, PARAMETERS)
    const [{ headers, body } = assert.fail()] = await until(
      () => findReceived(task.task_id),
      (found) => found.length > 0,
    )
    const { payload } = await verifyWebhook({ headers, body, secret })
    const { type, data } = payload as { type: string; data: unknown }
    assert.equal(type, "task.succeeded")
    assert.deepEqual(data, JSON.parse(JSON.stringify(await client.get(task.task_id))))
    const { deliveries } = await until(
      () => client.webhooks.deliveries(id, { status: "delivered" }),
      (page) => page.deliveries.length > 0,
    )
    const [{ tries, id: message } = assert.fail()] = deliveries
    assert.deepEqual(
      tries.map(({ status: answered, answer }) => [answered, answer]),
      [[200, ""]],
    )
    assert.equal(message, headers["webhook-id"])
    assert.equal((await client.webhooks.delivery(id, message)).body, body)
    await client.webhooks.delete(id)
  })

  it("show no secret again, and log neither secret nor URL", async () => {
    const made = await client.webhooks.create({ url: hook, description: "ours" })
    const rotated = await client.webhooks.rotate(made.id, { overlapSeconds: 60 })
    assert.notEqual(rotated.secret, made.secret)
    const shown = JSON.stringify([
      await client.webhooks.list(),
      await client.webhooks.get(made.id),
      await client.webhooks.update(made.id, { description: "theirs" }),
    ])
    assert.ok(!shown.includes("whsec_"))
    await client.webhooks.delete(made.id)
    const told = JSON.stringify(entries)
    for (const secret of [made.secret, rotated.secret, "a-secret-token"]) {
      assert.ok(!told.includes(secret))
    }
  })

  it("keep their secrets sealed: no file of the data folder holds one", async () => {
    const { id, secret } = await client.webhooks.create({ url: hook })
    const rotated = await client.webhooks.rotate(id, { overlapSeconds: 60 })
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const read = files.filter((file) => file.isFile())
    assert.ok(read.some(({ name }) => name === "safelight.db"))
    for (const { name, parentPath } of read) {
      const bytes = await readFile(join(parentPath, name))
      for (const text of ["whsec_", secret.slice(6), rotated.secret.slice(6)]) {
        assert.ok(!bytes.includes(text), name)
      }
    }
    await client.webhooks.delete(id)
  })

  it("are disabled by 410, enabled, and their failed deliveries replayed", async () => {
    const { id } = await client.webhooks.create({ url: hook, events: ["task.succeeded"] })
    status = 410
    const task = await client.run(textToImage.id, PARAMETERS)
    const gone = await until(
      () => client.webhooks.get(id),
      ({ enabled }) => !enabled,
    )
    assert.equal(gone.disabled_reason, "gone")
    status = 200
    await assert.rejects(client.webhooks.test(id), { code: "webhook_disabled" })
    await client.webhooks.update(id, { enabled: true })
    assert.equal(await client.webhooks.replayFailed(id), 1)
    await until(
      () => findReceived(task.task_id),
      (found) => found.length === 2,
    )
    await client.webhooks.delete(id)
  })

  it("lead to no private address unless it is allowed, and are as many as they may be", async () => {
    for (const url of ["http://127.0.0.2/", "http://10.0.0.1/", "ftp://a.example/"]) {
      await assert.rejects(client.webhooks.create({ url }), (error) => {
        assert.ok(isApiError(error))
        assert.deepEqual([error.status, error.code, error.param], [400, "url_not_allowed", "url"])
        return true
      })
    }
    const made = await Promise.all([1, 2, 3].map(() => client.webhooks.create({ url: hook })))
    await assert.rejects(client.webhooks.create({ url: hook }), { code: "webhook_limit_exceeded" })
    await Promise.all(made.map(({ id }) => client.webhooks.delete(id)))
  })

  it("are handled by the commands", async () => {
    const environment = { SAFELIGHT_API_KEY: key }
    const run = async (...words: readonly string[]): Promise<string> => {
      const all = ["webhooks", ...words, "--url", service.url]
      const { code, stdout, stderr } = await runCommand(all, { folder, environment })
      assert.equal(code, 0, stderr)
      return stdout
    }
    assert.match(await run("create", hook, "--events", "task.failed"), /^whsec_\S+\n$/)
    const [{ id } = assert.fail()] = JSON.parse(await run("list", "--json")) as { id: string }[]
    assert.match(await run("list"), new RegExp(`^${id}  enabled  http`))
    assert.match(await run("update", id, "--events", "task.failed,task.expiring"), /task.expiring/)
    assert.match(await run("rotate", id, "--overlap", "1h"), /^whsec_\S+\n$/)
    assert.match(await run("test", id), /webhook\.test/)
    const delivered = await until(
      () => run("deliveries", id),
      (stdout) => stdout.includes("delivered"),
    )
    const [message = ""] = delivered.split("  ")
    assert.match(await run("deliveries", id, message), /  200  \d+ ms\n/)
    assert.match(await run("replay", id, message), /^msg_/)
    assert.equal(await run("replay", id), "0 are sent again\n")
    assert.match(await run("update", id, "--disable"), /disabled \(account\)/)
    assert.match(await run("show", id), /disabled \(account\)/)
    assert.equal(await run("delete", id), "")
    assert.equal(await run("list"), "")
  })
})
