/** Outputs that a provider keeps behind its key: the key goes along to its own hosts, and to no other. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Provider, PROVIDERS } from "@safelight/channel-http"
import type { PollOutcome, SubmitOutcome } from "@safelight/core"
import { openProviderWorld } from "./provider-world.ts"

const { fal } = PROVIDERS

/** The stub is at http, and so are the provider's own hosts here: its protocol is the base's. */
const OUTPUTS = [
  { url: "http://files.keyed.example/1.png", expiresAt: 7 },
  { url: "http://cdn.example/1.png" },
  { url: "https://files.keyed.example/1.png" },
]

/** fal's stub takes the purchase; what comes of it is said here. */
const keyed: Provider = {
  ...fal,
  apiHosts: ["*.keyed.example"],
  outputsNeedKey: true,
  readCreate: () => ({ kind: "completed", outputs: OUTPUTS }),
  poll: () => Promise.resolve({ kind: "completed", outputs: OUTPUTS }),
}

async function collect(provider: Provider): Promise<readonly (PollOutcome | SubmitOutcome)[]> {
  const { channel, picture } = await openProviderWorld(provider)
  const request = picture()
  const bought = await channel.submit(request)
  return [bought, await channel.poll({ ...request, operation: "1", progress: 0 })]
}

describe("an output behind a key", () => {
  it("is fetched with it at the provider's own hosts alone", async () => {
    const headers = { authorization: "Key key" }
    const [first, ...others] = OUTPUTS
    for (const outcome of await collect(keyed)) {
      assert.deepEqual(outcome, { kind: "completed", outputs: [{ ...first, headers }, ...others] })
    }
  })

  it("is fetched without it where the provider does not ask for it", async () => {
    const { outputsNeedKey: _key, ...open } = keyed
    for (const outcome of await collect(open)) {
      assert.deepEqual(outcome, { kind: "completed", outputs: OUTPUTS })
    }
  })
})
