/** A purchase that is asked for again under its key: what is said of the request says nothing of the first. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { openProviderWorld } from "./provider-world.ts"

const world = await openProviderWorld(PROVIDERS.comfyRouter)

it("a repeat that is refused before its key is looked at leaves the purchase in doubt", async () => {
  const request = world.picture()
  const [first] = await world.buyWith({ own: ["invalid"] }, request)
  assert.equal((first as { readonly kind: string }).kind, "refused")
  const repeat = { ...request, isRepeat: true as const, signal: AbortSignal.timeout(10_000) }
  const [outcome, bought] = await world.buyWith({ own: ["invalid"] }, repeat)
  assert.deepEqual([outcome, bought], [{ kind: "not-created", reason: "repeat_refused" }, 0])
})
