/** One-time links: who opens one first has a key, nobody else, and nobody too late. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createSignIn } from "@safelight/access"
import { API_KEY_SCOPES, SafelightError, type StoredKey } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"

function open() {
  const clock = createManualClock()
  const stored: StoredKey[] = []
  let failure: Error | undefined
  const keys = {
    async createKey(key: StoredKey): Promise<void> {
      if (failure !== undefined) throw failure
      stored.push(key)
    },
  }
  const fail = (error: Error | undefined): void => void (failure = error)
  return { clock, fail, signIn: createSignIn({ clock, keys }), stored }
}

describe("a link that signs in", () => {
  it("gives a key of every scope, which ends after 30 days, once", async () => {
    const { clock, signIn, stored } = open()
    const token = await signIn.issue("default")
    assert.match(token, /^[0-9A-Za-z]{43}$/)
    const first = await signIn.signIn(token)
    assert.equal(first?.account, "default")
    assert.equal(first.expiresAt, clock.now() + 30 * 86_400_000)
    assert.match(first.key, /^sl_live_/)
    const [key] = stored
    assert.deepEqual(key?.scopes, API_KEY_SCOPES)
    assert.equal(key.expiresAt, first.expiresAt)
    assert.equal(await signIn.signIn(token), undefined)
    assert.equal(stored.length, 1)
  })

  it("gives one key to two who come at once", async () => {
    const { signIn, stored } = open()
    const token = await signIn.issue("default")
    const both = await Promise.all([signIn.signIn(token), signIn.signIn(token)])
    assert.equal(both.filter((each) => each !== undefined).length, 1)
    assert.equal(stored.length, 1)
  })

  it("is good for a quarter of an hour, whatever the wall clock says", async () => {
    const { clock, signIn } = open()
    const early = await signIn.issue("default")
    await clock.advance(15 * 60_000 - 1)
    assert.notEqual(await signIn.signIn(early), undefined)
    const late = await signIn.issue("default")
    await clock.advance(15 * 60_000)
    assert.equal(await signIn.signIn(late), undefined)
  })

  it("is over once another is made, and was never one with another token", async () => {
    const { signIn } = open()
    assert.equal(await signIn.signIn("any"), undefined)
    const former = await signIn.issue("default")
    const token = await signIn.issue("default")
    for (const wrong of [former, "", `${token}x`, token.toLowerCase(), "💩"]) {
      assert.equal(await signIn.signIn(wrong), undefined, wrong)
    }
    assert.notEqual(await signIn.signIn(token), undefined)
  })

  it("is still good if the key could not be stored", async () => {
    const { fail, signIn, stored } = open()
    const token = await signIn.issue("default")
    fail(new SafelightError({ code: "storage-unavailable", message: "away" }))
    await assert.rejects(signIn.signIn(token), /away/)
    fail(undefined)
    assert.notEqual(await signIn.signIn(token), undefined)
    assert.equal(stored.length, 1)
  })
})
