/** The threads for large bodies: when they start, how many they are, how they die and end. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"
import type { Worker } from "node:worker_threads"
import { NEVER_MS, openServer, watchThreads } from "./thread-watch.ts"
import { creation, createWorld, VALID } from "./worlds.ts"

const MEBIBYTE = 1024 * 1024

const BLANKS = " ".repeat(MEBIBYTE)
const LARGE = creation(BLANKS + JSON.stringify(VALID))

describe("the threads for large bodies", () => {
  it("are not started for small bodies, nor outside of our own server", async () => {
    using threads = watchThreads()
    await using world = await openServer()
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
    const inProcess = await createWorld("in process")
    assert.equal((await inProcess.call("/v1/tasks", LARGE)).status, 202)
    assert.deepEqual(threads.started, [])
  })

  it("are as many as allowed, and the bodies beyond that wait", async () => {
    using threads = watchThreads()
    await using world = await openServer({ bodyThreads: 2, bodyThreadRestMs: NEVER_MS })
    const calls = Array.from({ length: 7 }, () => world.call("/v1/tasks", LARGE))
    for (const { status } of await Promise.all(calls)) assert.equal(status, 202)
    assert.equal(world.fake.submitted.length, 7)
    assert.ok(threads.started.length <= 2, `${threads.started.length} threads`)
  })

  it("take one request along when they die, which is refused, and are replaced", async () => {
    using threads = watchThreads()
    await using world = await openServer({
      bodyThreads: 1,
      bodyThreadRestMs: NEVER_MS,
      bodyBytes: 3 * MEBIBYTE,
      bodiesInFlightBytes: 3 * MEBIBYTE,
    })
    threads.onStart((worker) => void worker.terminate())
    const refused = await world.call("/v1/tasks", LARGE)
    assert.equal(refused.status, 503)
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/)
    const { error } = (await refused.json()) as { error: { code: string } }
    assert.equal(error.code, "overloaded")
    assert.deepEqual(world.fake.requests, [])
    const messages = world.logged.map(({ level, message }) => `${level}: ${message}`)
    assert.ok(messages.includes("error: body thread ended"), messages.join())

    threads.onStart(() => {})
    // Both at once: the place of the dead thread is free again, and its body is not held.
    const both = [world.call("/v1/tasks", LARGE), world.call("/v1/tasks", LARGE)]
    for (const { status } of await Promise.all(both)) assert.equal(status, 202)
    assert.equal(threads.started.length, 2)
    await threads.started[1]?.terminate()
    assert.equal((await world.call("/v1/tasks", LARGE)).status, 202)
    assert.equal(threads.started.length, 3)
  })

  it("refuse the request that waits for one which fails before it is ready", async () => {
    using threads = watchThreads()
    await using world = await openServer({ bodyThreads: 1, bodyThreadRestMs: NEVER_MS })
    threads.onStart((worker) => void worker.emit("error", new Error("no memory")))
    assert.equal((await world.call("/v1/tasks", LARGE)).status, 503)
    const messages = world.logged.map(({ message }) => message)
    assert.ok(messages.includes("body thread ended"), messages.join())
    threads.onStart(() => {})
    assert.equal((await world.call("/v1/tasks", LARGE)).status, 202)
  })

  it("end once nothing was large for a while, and start again", async () => {
    using threads = watchThreads()
    await using world = await openServer({ bodyThreadRestMs: 1 })
    for (const count of [1, 2]) {
      const started = once(process, "worker") as Promise<[Worker]>
      const answer = world.call("/v1/tasks", LARGE)
      const [worker] = await started
      const exited = once(worker, "exit")
      assert.equal((await answer).status, 202)
      await exited
      assert.equal(threads.started.length, count)
    }
  })

  it("are gone when the server is closed", async () => {
    using threads = watchThreads()
    const world = await openServer({ bodyThreadRestMs: NEVER_MS })
    await Promise.all([world.call("/v1/tasks", LARGE), world.call("/v1/tasks", LARGE)])
    assert.ok(threads.started.length > 0)
    assert.equal(threads.gone.size, 0)
    await world.close()
    assert.equal(threads.gone.size, threads.started.length)
  })

  it("keep no process alive", async () => {
    const file = join(import.meta.dirname, "large-body-process.ts")
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, file])
    assert.equal(stdout, "202 closed")
  })
})
