/** Where requests with credentials may go: to a provider's own hosts, by name. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { createHttpChannel, type Provider, PROVIDERS } from "@safelight/channel-http"
import { textToImage } from "@safelight/core"
import { toRequest } from "./provider-world.ts"

const { fal } = PROVIDERS

/** Polls whatever URL its operation is. */
const provider: Provider = {
  ...fal,
  name: "wide",
  baseUrl: "https://api.wide.invalid",
  apiHosts: ["exact.invalid", "*.wide.invalid"],
  async poll(operation, send) {
    await send({ method: "GET", path: operation as string })
    return undefined
  },
}
const channel = createHttpChannel({ provider, key: "key" })
after(() => channel.close?.())

async function ask(operation: string): Promise<string> {
  try {
    await channel.poll({ ...toRequest(textToImage.id, {}), operation, progress: 0 })
    return "answered"
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

describe("a URL that a provider hands out", () => {
  // Names below `.invalid` never resolve (RFC 6761 §6.4): who asks for one finds nobody there.
  for (const host of ["api.wide.invalid", "exact.invalid", "eu.wide.invalid", "a.b.wide.invalid"]) {
    it(`is followed to a host of its own: ${host}`, async () => {
      assert.equal(await ask(`https://${host}/result`), "channel-unavailable")
    })
  }

  const strangers = [
    "https://wide.invalid/result",
    "https://notwide.invalid/result",
    "https://wide.invalid.attacker.invalid/result",
    "https://sub.exact.invalid/result",
    "https://eu.wide.invalid:8443/result",
    "http://eu.wide.invalid/result",
    "https://eu.wide.invalid@attacker.invalid/result",
  ]
  for (const url of strangers) {
    it(`is not followed anywhere else: ${url}`, async () => {
      assert.equal(await ask(url), "channel-answer-invalid")
    })
  }
})

describe("an address in place of the provider's own", () => {
  for (const baseUrl of [
    "ftp://a",
    "http://user:word@a",
    "http://user@a",
    "http://a/?b",
    "http://a/#b",
  ]) {
    it(`is refused, and not repeated: ${baseUrl}`, () => {
      assert.throws(() => createHttpChannel({ provider, key: "key", baseUrl }), {
        code: "invalid-configuration",
        message:
          "baseUrl of wide must be an http or https URL without a user, a query or a fragment",
      })
    })
  }
})
