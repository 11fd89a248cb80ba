/** A model's file that is removed while its task is under way, as the service is restarted: nothing bought is lost. */
import assert from "node:assert/strict"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { it } from "node:test"
import { STUBS } from "@safelight/testkit/stubs"
import {
  parseKey,
  runCommand,
  startServiceProcess,
  temporaryFolder,
} from "../command/command-process.ts"
import { until } from "../../support/until.ts"

interface Answer {
  readonly task_id: string
  readonly status: string
}

it("a task under way is made, billed and audited though its model's file was removed", async (t) => {
  const folder = await temporaryFolder(t)
  const fal = (await STUBS["fal"]?.({ queueMs: 0, runMs: 5_000 })) ?? assert.fail()
  t.after(() => fal[Symbol.asyncDispose]())
  const channels = [{ type: "fal", baseUrl: fal.url }]
  const models = ["./models", { builtin: false }]
  await writeFile(join(folder, "safelight.config.json"), JSON.stringify({ models, channels }))
  const added = await runCommand(["models", "add", "flux-2-pro", "trellis", "--margin", "1.4"], {
    folder,
  })
  assert.equal(added.code, 0, added.stderr)
  const environment = { FAL_KEY: "a:b" }
  const service = await startServiceProcess(folder, [], { environment })
  const key = parseKey(service.stdout())
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const model = "black-forest-labs/flux-2-pro"
  const body = JSON.stringify({ model, parameters: { prompt: "fog" } })
  const asked = await fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body })
  assert.equal(asked.status, 202)
  const { task_id: id } = (await asked.json()) as Answer
  // It asks for the state of what it has recorded as accepted.
  await until(() => fal.requests.some(({ method }) => method === "GET"))
  service.kill("SIGKILL")
  await service.ended
  await rm(join(folder, "models/flux-2-pro.json"))

  const again = await startServiceProcess(folder, [], { environment })
  const waiting = { ...headers, prefer: "wait=60" }
  const ended = await fetch(`${again.url}/v1/tasks/${id}`, { headers: waiting })
  assert.equal(((await ended.json()) as Answer).status, "succeeded")
  const usage = await fetch(`${again.url}/v1/tasks/${id}/usage`, { headers })
  assert.equal(((await usage.json()) as { charge_micros: number }).charge_micros, 42_000)
  const content = await fetch(`${again.url}/v1/tasks/${id}/artifacts/image_1/content`, { headers })
  assert.ok((await content.arrayBuffer()).byteLength > 0)
  const refused = await fetch(`${again.url}/v1/tasks`, { method: "POST", headers, body })
  assert.equal(refused.status, 400)
  again.kill("SIGTERM")
  await again.ended
  const replayed = await runCommand(["audit", "replay"], { folder })
  assert.equal(replayed.code, 0, replayed.stdout)
})
