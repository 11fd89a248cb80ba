/** An answer about work is believed with the status that such an answer has, whatever its body says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type Provider, PROVIDERS } from "@safelight/channel-http"
import type { Json } from "@safelight/core"
import { toReply } from "./provider-world.ts"

const { ark, comfyRouter, higgsfield, kling, replicate, runware } = PROVIDERS

const ENDED: readonly (readonly [provider: Provider, operation: Json, json: Json])[] = [
  [ark, { id: "1" }, { status: "cancelled" }],
  [comfyRouter, { state: "/state" }, { status: "COMPLETED", error_type: "cancelled" }],
  [higgsfield, { state: "/state" }, { status: "canceled" }],
  [kling, { id: "1" }, { code: 0, data: [{ id: "1", status: "failed" }] }],
  [replicate, { get: "/get" }, { status: "canceled" }],
  [runware, { id: "1" }, { errors: [{ taskUUID: "1", status: "error", code: "failed" }] }],
]

for (const [provider, operation, json] of ENDED) {
  describe(`an answer of ${provider.name} about work`, () => {
    const poll = (status: number) => provider.poll(operation, async () => toReply(status, json))

    it("is believed with a 200", async () => assert.equal((await poll(200))?.kind, "refused"))
    for (const status of [302, 401, 404, 408, 500, 503]) {
      it(`is asked for again with a ${status}`, async () =>
        assert.equal(await poll(status), undefined))
    }
  })
}
