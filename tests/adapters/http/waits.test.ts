/** `Prefer: wait`: answered at the task's end, and never refused, held on or failed for it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createRawClient } from "../../support/raw-client.ts"
import { until } from "../../support/until.ts"
import { outside, taskId, toTask } from "./fake-service.ts"
import { creation, createWorld, WORLDS, type World } from "./worlds.ts"

const ID = taskId(7)
const PATH = `/v1/tasks/${ID}`
const LONG = { headers: { prefer: "wait=60" } }

function putRunning({ fake }: World): void {
  fake.put(toTask(ID, { state: "running", attempt: 1, progress: 5 }))
}

function finish({ fake }: World, id = ID): void {
  fake.finish(
    toTask(id, { state: "succeeded.available", attempt: 1, progress: 100, finishedAt: 1 }),
  )
}

async function readStatus(response: Response): Promise<unknown> {
  return ((await response.json()) as { readonly status: unknown }).status
}

for (const kind of WORLDS) {
  describe(`a wait, ${kind}`, () => {
    it("ends as soon as the task is finished", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const asked = world.call(PATH, LONG)
      await until(() => world.fake.countWaits() === 1)
      finish(world)
      const answer = await asked
      assert.equal(answer.headers.get("preference-applied"), "wait=60")
      assert.equal(answer.headers.get("retry-after"), null)
      assert.equal(await readStatus(answer), "succeeded")
    })

    it("holds for a new task, and keeps nothing of its body meanwhile", async (t) => {
      const settings = { bodyBytes: 100, bodiesInFlightBytes: 100, largeBodyBytes: 100 }
      const world = await createWorld(kind, { settings })
      t.after(world.close)
      const { headers, ...call } = creation()
      const asked = world.call("/v1/tasks", { ...call, headers: { ...headers, prefer: "wait=60" } })
      await until(() => world.fake.countWaits() === 1)
      const other = await world.call("/v1/tasks", creation())
      assert.equal(other.status, 202, "the first body is still held")
      const [id = ""] = world.fake.tasks.keys()
      finish(world, id)
      const answer = await asked
      assert.equal(answer.status, 202)
      assert.equal(answer.headers.get("location"), `/v1/tasks/${id}`)
      assert.equal(answer.headers.get("preference-applied"), "wait=60")
      assert.equal(await readStatus(answer), "succeeded")
    })

    it("passes, and the answer is the task as it is then", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const asked = world.call(PATH, { headers: { prefer: "wait=1" } })
      await until(() => world.fake.countWaits() === 1)
      world.fake.put(toTask(ID, { state: "running", attempt: 1, progress: 60 }))
      const answer = await asked
      assert.equal(answer.headers.get("preference-applied"), "wait=1")
      assert.equal(answer.headers.get("retry-after"), "2")
      const { progress } = (await answer.json()) as { readonly progress: unknown }
      assert.equal(progress, 60)
    })

    it("is none for a task that is finished", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      finish(world)
      const [first, kept] = [await world.call(PATH, LONG), await world.call(PATH, LONG)]
      for (const answer of [first, kept]) {
        assert.equal(answer.headers.get("preference-applied"), "wait=60")
        assert.equal(await readStatus(answer), "succeeded")
      }
    })

    it("counts as the first that is named, up to a minute", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      finish(world)
      const applied: Record<string, string> = {
        "wait=0": "wait=0",
        "WAIT = 7": "wait=7",
        'respond-async, wait="10";x=y, wait=20': "wait=10",
        'note="a, wait=5", wait=6': "wait=6",
        "wait=61": "wait=60",
        "wait=999999999": "wait=60",
      }
      for (const [prefer, expected] of Object.entries(applied)) {
        const answer = await world.call(PATH, { headers: { prefer } })
        assert.equal(answer.headers.get("preference-applied"), expected, prefer)
      }
    })

    it("is none for what is malformed or unknown", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const ignored = [
        "wait",
        "wait=",
        "wait=-1",
        "wait=1.5",
        "wait=1s",
        'wait="1',
        "wait=9999999999",
        "wait=x, wait=60",
        "await=60",
        'note="wait=60"',
        '"wait=60"',
        "return=minimal",
        `wait=60${" ".repeat(2_000)}x`,
      ]
      for (const prefer of ignored) {
        const answer = await world.call(PATH, { headers: { prefer } })
        assert.equal(answer.status, 200, prefer)
        assert.equal(answer.headers.get("preference-applied"), null, prefer)
      }
    })

    it("is none above the bound of an account, or of all", async (t) => {
      const world = await createWorld(kind, { settings: { waits: 2, accountWaits: 1 } })
      t.after(world.close)
      putRunning(world)
      const another = toTask(taskId(8), { account: "another", state: "running", attempt: 1 })
      world.fake.put(another)
      const key = world.keys.add({ account: "another" })
      const asOther = { prefer: "wait=60", authorization: `Bearer ${key}` }
      const first = world.call(PATH, LONG)
      await until(() => world.fake.countWaits() === 1)
      const crowded = await world.call(PATH, LONG)
      assert.equal(crowded.headers.get("preference-applied"), null)
      assert.equal(crowded.headers.get("retry-after"), "2")
      const other = world.call(`/v1/tasks/${another.id}`, { headers: asOther })
      await until(() => world.fake.countWaits() === 2)
      world.fake.put(toTask(taskId(9), { account: "third", state: "running", attempt: 1 }))
      const third = {
        prefer: "wait=60",
        authorization: `Bearer ${world.keys.add({ account: "third" })}`,
      }
      const full = await world.call(`/v1/tasks/${taskId(9)}`, { headers: third })
      assert.equal(full.headers.get("preference-applied"), null)
      finish(world)
      await first
      const next = world.call(PATH, LONG)
      assert.equal((await next).headers.get("preference-applied"), "wait=60")
      world.handler.endWaits?.()
      await other
    })

    it("ends when the handler is to end its waits, and none begins after it", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const asked = world.call(PATH, LONG)
      await until(() => world.fake.countWaits() === 1)
      world.handler.endWaits?.()
      for (const answer of [await asked, await world.call(PATH, LONG)]) {
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.get("preference-applied"), null)
        assert.equal(await readStatus(answer), "running")
      }
    })

    it("tells a key that was revoked meanwhile nothing that came after", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const text = world.keys.add()
      const authorization = `Bearer ${text}`
      const { headers, ...call } = creation()
      const read = world.call(PATH, { headers: { ...LONG.headers, authorization } })
      await until(() => world.fake.countWaits() === 1)
      const wanted = { ...call, headers: { ...headers, ...LONG.headers, authorization } }
      const made = world.call("/v1/tasks", wanted)
      await until(() => world.fake.countWaits() === 2)
      world.keys.change(text, { revokedAt: 1 })
      await world.clock.advance(1_000)
      for (const id of world.fake.tasks.keys()) finish(world, id)
      const [shown, accepted] = [await read, await made]
      assert.deepEqual([shown.status, await readStatus(shown)], [200, "running"])
      assert.deepEqual([accepted.status, await readStatus(accepted)], [202, "queued"])
      assert.equal(accepted.headers.get("location")?.startsWith("/v1/tasks/"), true)
      for (const { headers: told } of [shown, accepted]) {
        assert.equal(told.get("preference-applied"), null)
      }
      assert.equal((await world.call(PATH, { headers: { authorization } })).status, 401)
    })

    it("tells nothing new where the key can't be looked at for now, and refuses nothing", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      putRunning(world)
      const read = world.call(PATH, LONG)
      await until(() => world.fake.countWaits() === 1)
      world.keys.fail(outside("storage-unavailable"))
      await world.clock.advance(1_000)
      finish(world)
      const shown = await read
      assert.deepEqual([shown.status, await readStatus(shown)], [200, "running"])
      assert.equal(shown.headers.get("preference-applied"), null)
    })

    it("fails no submission that was accepted", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      const { headers, ...call } = creation()
      world.fake.service.finished = async () => {
        world.fake.fail(outside("storage-unavailable"))
        throw outside("storage-unavailable")
      }
      const asked = { ...call, headers: { ...headers, prefer: "wait=60" } }
      const answer = await world.call("/v1/tasks", asked)
      assert.equal(answer.status, 202)
      assert.equal(answer.headers.get("preference-applied"), null)
      assert.equal(await readStatus(answer), "queued")
    })
  })
}

describe("the wait of a client that leaves", () => {
  it("ends under our server, and cancels nothing", async (t) => {
    const world = await createWorld("over a socket")
    t.after(world.close)
    putRunning(world)
    const client = createRawClient(world.server?.url ?? "")
    client.send(
      `GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.key}\r\nPrefer: wait=60\r\n\r\n`,
    )
    await until(() => world.fake.countWaits() === 1)
    client.socket.destroy()
    await until(() => world.fake.countWaits() === 0)
    assert.deepEqual(world.fake.cancelled, [])
    assert.deepEqual(world.logged, [])
  })

  it("ends where a host aborts its request", async (t) => {
    const world = await createWorld("in process")
    t.after(world.close)
    putRunning(world)
    const left = new AbortController()
    const headers = { authorization: `Bearer ${world.key}`, prefer: "wait=60" }
    const request = new Request(`http://inner.example${PATH}`, { headers, signal: left.signal })
    const asked = world.handler.fetch(request)
    await until(() => world.fake.countWaits() === 1)
    left.abort()
    const answer = await asked
    assert.equal(answer.headers.get("preference-applied"), null)
    assert.equal(world.fake.countWaits(), 0)
  })
})

describe("our server", () => {
  it("answers at once what waits when it closes", async () => {
    const world = await createWorld("over a socket")
    putRunning(world)
    const asked = world.call(PATH, LONG)
    await until(() => world.fake.countWaits() === 1)
    const closed = world.server?.close({ graceMs: 60_000 })
    const answer = await asked
    assert.equal(answer.headers.get("preference-applied"), null)
    assert.equal(await readStatus(answer), "running")
    await closed
    await world.close()
  })

  it("ends no wait for taking nothing of its answer", async (t) => {
    const settings = { stalledAnswerMs: 50, headersTimeoutMs: 50, keepAliveTimeoutMs: 50 }
    const world = await createWorld("over a socket", { settings })
    t.after(world.close)
    putRunning(world)
    const answer = await world.call(PATH, { headers: { prefer: "wait=1" } })
    assert.equal(answer.headers.get("preference-applied"), "wait=1")
  })
})
