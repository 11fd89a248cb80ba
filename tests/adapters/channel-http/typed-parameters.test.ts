/** The models of a declaration know the parameters of the public models: none of these needs a cast. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineProvider } from "@safelight/channel-http"
import { MODELS } from "@safelight/core"
import { createProvider } from "./provider-world.ts"

const provider = defineProvider({
  ...createProvider(() => Promise.resolve(undefined)),
  models: {
    "vendor-a/v4.1/flash/text-to-image": {
      accepts: ({ colors }) => colors.length === 0 || { kind: "ineligible", reason: "no colours" },
      toRequest: ({ prompt, size }) => ({
        method: "POST",
        path: "/pictures",
        json: { prompt: prompt.trim(), size: size.replaceAll("_", "-") },
      }),
    },
    "vendor-b/imagine-image/v2.0/edit": {
      toRequest: ({ count, image_urls: [first = ""] }) => ({
        method: "POST",
        path: "/edits",
        json: { first: first.slice(0, 10), count: count + 0 },
      }),
    },
    "vendor-c/video-2.5/reference-to-video": {
      toRequest: ({ duration = 5, prompt = "" }) => ({
        method: "POST",
        path: "/films",
        json: { frames: duration * 24, prompt },
      }),
    },
    "acme/own": {
      toRequest: ({ strength }: { readonly strength: number }) => ({
        method: "POST",
        path: "/own",
        json: { strength: strength.toFixed(2) },
      }),
    },
  },
})

describe("the models of a declaration", () => {
  it("have the parameters of every public model by its id, and may name those of others", () => {
    const [own, ...others] = Object.keys(provider.models).toReversed()
    assert.equal(own, "acme/own")
    assert.deepEqual(
      others.toReversed(),
      MODELS.map(({ id }) => id),
    )
    const { toRequest } = provider.models["acme/own"] ?? assert.fail()
    const { json } = toRequest({ strength: 0.5 }, "key", { model: "acme/own", upstream: "own" })
    assert.deepEqual(json, { strength: "0.50" })
  })
})
