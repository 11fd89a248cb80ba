/** The contract of `DefinitionStorage`. */
import assert from "node:assert/strict"
import type { Definition } from "@safelight/core"
import type { Behaviours } from "./contract.ts"
import type { StorageFixture } from "./storage-fixture.ts"

function toDefinition(digit: string, kind: Definition["kind"], body: string): Definition {
  return { digest: digit.repeat(64), kind, body }
}

function read(storage: StorageFixture["storage"]) {
  return Promise.all([storage.listDefinitions("model"), storage.listDefinitions("price")])
}

export const DEFINITION_BEHAVIOURS: Behaviours<StorageFixture> = {
  "definitions are kept once and for good, and are listed by kind in the order of their digests":
    async (fixture) => {
      const { storage } = fixture
      const late = toDefinition("b", "model", '{"title":"\\u0000 \u{1f600} café"}')
      const early = toDefinition("a", "model", "{}")
      const price = toDefinition("c", "price", `{"long":"${"x".repeat(70_000)}"}`)
      await storage.keepDefinitions([])
      assert.deepEqual(await storage.listDefinitions("model"), [])
      await storage.keepDefinitions([late, price])
      await Promise.all([
        storage.keepDefinitions([early, { ...late, body: "other" }]),
        storage.keepDefinitions([early, price]),
      ])
      assert.deepEqual(await read(storage), [[early, late], [price]])
      assert.deepEqual(await storage.findDefinition(price.digest), price)
      assert.deepEqual(await storage.findDefinition(late.digest), late)
      assert.equal(await storage.findDefinition("d".repeat(64)), undefined)
      assert.deepEqual(await read(await fixture.reopen()), [[early, late], [price]])
    },
}
