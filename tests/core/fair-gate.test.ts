/** A fair gate, driven step by step: whose turn it is. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createFairGate } from "@safelight/core"

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Notes who came in; the first letter of a name is its account. */
function createDoor(places: number) {
  const gate = createFairGate(places)
  const entered: string[] = []
  async function come(name: string, signal = new AbortController().signal) {
    const leave = await gate.enter(name.slice(0, 1), signal)
    entered.push(name)
    return leave
  }
  return { come, entered }
}

describe("a fair gate", () => {
  it("keeps a place for an account that has none, and no second one", async () => {
    const { come, entered } = createDoor(2)
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void come(name)
    await settle()
    assert.deepEqual(entered, ["a1", "a2", "b1"])
  })

  it("gives the next place to the account that holds fewest, and then to whoever came first", async () => {
    const { come, entered } = createDoor(2)
    const [first, second] = [come("a1"), come("a2"), come("a3"), come("a4")]
    const third = come("b1")
    void come("c1")
    void come("b2")
    await settle()
    assert.deepEqual(entered, ["a1", "a2", "b1"])
    const leave = await first
    leave()
    leave()
    await settle()
    assert.deepEqual(entered.slice(3), ["c1"])
    const [leaveSecond, leaveThird] = await Promise.all([second, third])
    leaveSecond()
    await settle()
    assert.deepEqual(entered.slice(3), ["c1", "a3"], "it had none any more")
    leaveThird()
    await settle()
    assert.deepEqual(entered.slice(3), ["c1", "a3", "b2"], "a holds one")
  })

  it("lets whoever gives up go without a place", async () => {
    const { come, entered } = createDoor(1)
    const first = come("a1")
    const gone = new AbortController()
    const second = come("a2", gone.signal)
    void come("a3")
    await settle()
    gone.abort()
    const leave = await second
    leave()
    await settle()
    assert.deepEqual(entered, ["a1", "a2"])
    ;(await first)()
    await settle()
    assert.deepEqual(entered, ["a1", "a2", "a3"])
    const late = new AbortController()
    late.abort()
    await come("a4", late.signal)
    assert.deepEqual(entered, ["a1", "a2", "a3", "a4"])
  })
})
