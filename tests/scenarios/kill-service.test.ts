/**
 * `kill -9` of the real service under load, three times over: every 202 that a client ever got
 * names a task that is there after the restart and ends, its file whole, the log sound.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "node:test"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
  type Serving,
} from "../service/command/command-process.ts"

/** A load is more than an account may ask for unless it is said. */
const UNLIMITED = {
  accounts: { defaults: { createRate: "none", readRate: "none", unfinishedTasks: "none" } },
}

const ROUNDS = 3
const CLIENTS = 4

interface Client {
  readonly headers: Readonly<Record<string, string>>
  /** Every id that a 202 named. */
  readonly accepted: string[]
}

/** Submits without a pause until the service is gone. */
async function submitUntilGone({ url }: Serving, { headers, accepted }: Client): Promise<void> {
  const model = "vendor-a/v4.1/flash/text-to-image"
  for (let count = 0; ; count += 1) {
    // Most fail at once in the sandbox, so that many tasks are in every state at the kill.
    const directive = count % 4 === 0 ? "" : "[studio: fail provider_rejected]"
    const parameters = { prompt: `load ${count} ${directive}`, size: "square" }
    const body = JSON.stringify({ model, parameters })
    try {
      const response = await fetch(`${url}/v1/tasks`, { method: "POST", headers, body })
      assert.equal(response.status, 202)
      accepted.push(((await response.json()) as { task_id: string }).task_id)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
  }
}

async function readJson<Body>({ url }: Serving, client: Client, path: string): Promise<Body> {
  const response = await fetch(`${url}${path}`, { headers: client.headers })
  assert.equal(response.status, 200, `${path} answers ${response.status}`)
  return (await response.json()) as Body
}

async function assertEnded(service: Serving, client: Client, id: string): Promise<void> {
  for (;;) {
    const path = `/v1/tasks/${id}`
    const { status } = await readJson<{ status: string }>(service, client, path)
    if (status === "failed") return
    if (status === "succeeded") break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const path = `${service.url}/v1/tasks/${id}/artifacts/image_1/content`
  const response = await fetch(path, { headers: client.headers })
  assert.equal(response.status, 200)
  const bytes = Buffer.from(await response.arrayBuffer())
  const digest = createHash("sha256").update(bytes).digest("base64")
  assert.equal(response.headers.get("repr-digest"), `sha-256=:${digest}:`)
}

it("a service killed under load keeps every task it accepted", async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify(UNLIMITED))
  const accepted: string[] = []
  let client: Client | undefined
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startServiceProcess(folder, ["--sandbox"])
    client ??= {
      headers: {
        authorization: `Bearer ${parseKey(service.stdout())}`,
        "content-type": "application/json",
      },
      accepted,
    }
    const current = client
    const target = accepted.length + 40
    const clients = Array.from({ length: CLIENTS }, () => submitUntilGone(service, current))
    while (accepted.length < target) await new Promise((resolve) => setImmediate(resolve))
    service.kill("SIGKILL")
    await Promise.all([service.ended, ...clients])
  }
  assert.ok(client)
  const service = await startServiceProcess(folder, ["--sandbox"])
  assert.ok(accepted.length >= ROUNDS * 40)
  for (const id of accepted) await assertEnded(service, client, id)
  service.kill("SIGTERM")
  assert.equal((await service.ended).code, 0)
  for (const check of ["verify", "replay"]) {
    const { code, stderr } = await runCommand(["audit", check, "--data", "data"], { folder })
    assert.equal(code, 0, stderr)
  }
})
