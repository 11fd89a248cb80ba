/** A semaphore, driven step by step: who goes in, in which order, and who is refused. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createSemaphore } from "@safelight/core"

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Notes the names of those that came in. */
function createDoor(permits: number, mostWaiting?: number) {
  const semaphore = createSemaphore({
    permits,
    name: "bodies",
    ...(mostWaiting !== undefined && { mostWaiting }),
  })
  const entered: string[] = []
  async function come(name: string, weight = 1, signal?: AbortSignal) {
    const release = await semaphore.acquire({ weight, ...(signal && { signal }) })
    if (release !== undefined) entered.push(name)
    return release
  }
  return { semaphore, entered, come }
}

describe("a semaphore", () => {
  it("lets in as many as it has permits, and the others in the order of arrival", async () => {
    const { entered, come } = createDoor(2)
    const [first] = [come("a"), come("b"), come("c"), come("d")]
    await settle()
    assert.deepEqual(entered, ["a", "b"])
    const release = await first
    release?.()
    release?.()
    await settle()
    assert.deepEqual(entered, ["a", "b", "c"])
  })

  it("lets what is heavier than all permits go alone, and nothing light overtake it", async () => {
    const { entered, come } = createDoor(10)
    const [small] = [come("small"), come("huge", 50), come("late")]
    await settle()
    assert.deepEqual(entered, ["small"])
    ;(await small)?.()
    await settle()
    assert.deepEqual(entered, ["small", "huge"])
  })

  it("resolves to no permit once its signal aborts, and lets in those that wait behind", async () => {
    const { entered, come } = createDoor(2)
    const gone = new AbortController()
    const coming = [come("a"), come("heavy", 2, gone.signal), come("b")]
    await settle()
    assert.deepEqual(entered, ["a"])
    gone.abort()
    assert.equal(await coming[1], undefined)
    await settle()
    assert.deepEqual(entered, ["a", "b"])
    assert.equal(await come("never", 1, AbortSignal.abort()), undefined)
  })

  it("refuses whoever comes while as many wait as may", async () => {
    const { come } = createDoor(1, 1)
    const first = await come("a")
    const second = come("b")
    await assert.rejects(come("c"), { code: "overloaded", message: /bodies/, retryable: true })
    first?.()
    assert.notEqual(await second, undefined)
  })

  it("gives a permit back whether work succeeds or fails", async () => {
    const { semaphore } = createDoor(1)
    const failure = new Error("broken")
    await assert.rejects(
      semaphore.run(() => Promise.reject(failure)),
      failure,
    )
    assert.equal(await semaphore.run(() => Promise.resolve(7)), 7)
  })
})
