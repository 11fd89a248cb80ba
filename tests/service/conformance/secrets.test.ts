/**
 * That comparing a secret takes the same steps whether it is right, wrong or nobody's
 * (http-decisions §6, §7). Steps are counted: no clock is precise enough to be believed.
 */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { forge, KEY, openLinkWorld, readAnswer, CONTENT } from "../../adapters/http/link-world.ts"
import { taskId, toTask } from "../../adapters/http/fake-service.ts"
import { createWorld } from "../../adapters/http/worlds.ts"

const TASK = `/v1/tasks/${taskId(1)}`
const SHA256_DIGITS = 64

/** A text that tells which of its characters were looked at. */
function watch(text: string, seen: number[]): string {
  const watched = {
    length: text.length,
    charCodeAt(index: number) {
      seen.push(index)
      return text.charCodeAt(index)
    },
  }
  return watched as unknown as string
}

describe("a key's secret", () => {
  for (const [name, change, status] of [
    ["right", (hash: string) => hash, 200],
    ["wrong in the first digit", (hash: string) => other(hash[0]) + hash.slice(1), 401],
    ["wrong in the last digit", (hash: string) => hash.slice(0, -1) + other(hash.at(-1)), 401],
    ["wrong altogether", () => "z".repeat(SHA256_DIGITS), 401],
  ] as const) {
    it(`is compared to the last digit where it is ${name}`, async () => {
      await using world = await createWorld()
      world.fake.put(toTask(taskId(1)))
      const seen: number[] = []
      const key = world.keys.add()
      const secret = key.slice("sl_live_".length + 11, -6)
      const hash = createHash("sha256").update(secret).digest("hex")
      world.keys.change(key, { secretSha256: watch(change(hash), seen) })
      const headers = { authorization: `Bearer ${key}` }
      assert.equal((await world.bare(TASK, { headers })).status, status)
      assert.deepEqual(
        seen,
        Array.from({ length: SHA256_DIGITS }, (_, index) => index),
      )
    })
  }
})

function other(digit: string | undefined): string {
  return digit === "0" ? "1" : "0"
}

describe("a link's MAC", () => {
  it("is computed and compared for a signing key or a task that nobody knows, too", async (t) => {
    await using world = await openLinkWorld("in process")
    await world.storage.addLinkKey(KEY)
    const verify = t.mock.method(crypto.subtle, "verify")
    const good = `${CONTENT}?access=${forge()}`
    for (const [status, path] of [
      [200, good],
      [404, good.replace(/.{43}$/, "A".repeat(43))],
      [404, good.replace(/v1\.\w{8}/, "v1.00000000")],
      [404, good.replace(taskId(1), taskId(404))],
      [404, good.replace("image_1", "image_9")],
    ] as const) {
      verify.mock.resetCalls()
      assert.equal((await readAnswer(world.bare(path))).status, status, path)
      assert.equal(verify.mock.callCount(), 1, path)
    }
  })
})
