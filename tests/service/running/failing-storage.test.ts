/**
 * The database or the files fail for a while and come back: 503 with Retry-After meanwhile, and
 * service again afterwards, in the same process and without anybody mending anything.
 */
import assert from "node:assert/strict"
import { DatabaseSync } from "node:sqlite"
import { it } from "node:test"
import { SafelightError, type ArtifactStorage, type Storage } from "@safelight/core"
import { createInProcessService, type InProcessService, REQUEST } from "../in-process-service.ts"

interface Outage {
  isOn: boolean
}

function post({ url, keys }: InProcessService): Promise<Response> {
  const headers = { authorization: `Bearer ${keys.whole}`, "content-type": "application/json" }
  return fetch(`${url}/v1/tasks`, { method: "POST", headers, body: REQUEST })
}

function get({ url, keys }: InProcessService, path: string): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${keys.whole}` } })
}

async function assertUnavailable(response: Response, code: string): Promise<void> {
  const text = await response.text()
  assert.equal(response.status, 503, text)
  assert.match(response.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
  const { error } = JSON.parse(text) as { error: { code: string; type: string } }
  assert.deepEqual([error.code, error.type], [code, "api_error"])
}

async function accept(service: InProcessService): Promise<string> {
  const response = await post(service)
  assert.equal(response.status, 202)
  return ((await response.json()) as { task_id: string }).task_id
}

function failing(storage: Storage, outage: Outage): Storage {
  function guard<Arguments extends unknown[], Result>(
    call: (...values: Arguments) => Promise<Result>,
  ) {
    return (...values: Arguments): Promise<Result> => {
      if (!outage.isOn) return call(...values)
      const message = "the database is down"
      return Promise.reject(
        new SafelightError({ code: "storage-unavailable", message, retryable: true }),
      )
    }
  }
  return {
    ...storage,
    append: guard(storage.append),
    readTask: guard(storage.readTask),
    findKey: guard(storage.findKey),
    check: guard(storage.check),
  }
}

it("answers 503 while the database is down, keys included, and serves when it is back", async () => {
  const outage = { isOn: false }
  const wrapStorage = (storage: Storage): Storage => failing(storage, outage)
  await using service = await createInProcessService({
    wrapStorage,
    accessSettings: { keyCacheMs: 1 },
  })
  const path = `/v1/tasks/${await accept(service)}`
  const before = service.countStored()
  outage.isOn = true
  for (let round = 0; round < 3; round += 1) {
    await assertUnavailable(await post(service), "service_unavailable")
    await assertUnavailable(await get(service, path), "service_unavailable")
    await assertUnavailable(await get(service, `${path}/artifacts`), "service_unavailable")
  }
  await assertUnavailable(await get(service, "/readyz"), "service_unavailable")
  assert.equal((await get(service, "/healthz")).status, 200)
  outage.isOn = false
  assert.deepEqual(service.countStored(), before)
  assert.equal((await get(service, path)).status, 200)
  assert.equal((await get(service, "/readyz")).status, 200)
  await accept(service)
  assert.ok(service.logged.every(({ level }) => level === "warn"))
})

it("answers 503 while another process locks the real database, and stores nothing of it later", async () => {
  await using service = await createInProcessService({ busyTimeoutMs: 20 })
  const path = `/v1/tasks/${await accept(service)}`
  const before = service.countStored()
  const other = new DatabaseSync(service.file)
  other.exec("begin immediate")
  const refused = await Promise.all(Array.from({ length: 8 }, () => post(service)))
  await Promise.all(refused.map((each) => assertUnavailable(each, "service_unavailable")))
  // A lock on writing keeps nobody from reading.
  assert.equal((await get(service, path)).status, 200)
  other.exec("rollback")
  other.close()
  assert.deepEqual(service.countStored(), before)
  await accept(service)
  assert.equal(service.countStored().tasks, before.tasks + 1)
})

it("answers 503 while artifacts can't be read, and gives them whole afterwards", async () => {
  const outage = { isOn: false }
  const wrapArtifacts = (artifacts: ArtifactStorage): ArtifactStorage => ({
    ...artifacts,
    open(request) {
      if (!outage.isOn) return artifacts.open(request)
      const message = "the disk is gone"
      return Promise.reject(new SafelightError({ code: "artifacts-unavailable", message }))
    },
  })
  await using service = await createInProcessService({ wrapArtifacts })
  service.engine.start()
  const id = await accept(service)
  assert.equal((await service.engine.finished(id))?.state, "succeeded.available")
  const content = `/v1/tasks/${id}/artifacts/image_1/content`
  outage.isOn = true
  await assertUnavailable(await get(service, content), "storage_unavailable")
  assert.equal((await get(service, `/v1/tasks/${id}/artifacts`)).status, 200)
  outage.isOn = false
  const response = await get(service, content)
  assert.equal(response.status, 200)
  assert.equal((await response.bytes()).length, 1_024)
})
