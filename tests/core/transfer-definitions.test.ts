/** Definitions in a transfer: those that its tasks name go along, proved, and no others. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAudit } from "@safelight/audit"
import { readKeptPrices } from "@safelight/engine"
import {
  MODELS,
  readModelFile,
  sealPrices,
  toPriceDefinitions,
  toPriceVersion,
  type Definition,
  type PriceBook,
} from "@safelight/core"
import { createMemoryStorage } from "@safelight/testkit"
import { EDIT, createStream, submission } from "./support/sample-log.ts"
import { sha256 } from "./support/sha256.ts"
import {
  alterRecord,
  exportLines,
  findLine,
  take,
  toAppend,
  toTaskId,
} from "./support/transfer-source.ts"

const MODEL = "vendor-b/imagine-image/v2.0/edit"
const BOOK: PriceBook = [
  { version: "winter", models: { [MODEL]: { perImageMicros: 4 } } },
  { version: "spring", models: { [MODEL]: { perImageMicros: 5 } } },
]
const FLUX = readModelFile({
  id: "acme/flux",
  outputs: { image: 1 },
  parameters: {
    type: "object",
    additionalProperties: false,
    properties: { hd: { type: "boolean" } },
  },
})
const [SPRING] = sealPrices([BOOK[1] ?? BOOK[0]], sha256)
const VERSION = toPriceVersion(SPRING, MODEL)

/** Of two models, the second of which no task names. */
const MODEL_DEFINITIONS = ["hd", "sd"].map((name): Definition => {
  assert.ok(FLUX.kind === "model")
  const body = (FLUX.model.definition ?? "").replace("hd", name)
  return { kind: "model", digest: sha256([body]), body }
})

/** With one task, of the newer table. */
async function createSource(definition?: string) {
  const storage = createMemoryStorage()
  await storage.keepDefinitions([...toPriceDefinitions(BOOK, sha256), ...MODEL_DEFINITIONS])
  const base = submission("ann", EDIT)
  assert.ok(base.kind === "submit")
  const named = definition === undefined ? {} : { definition }
  const command = { ...base, submitted: { ...base.submitted, ...named, priceVersion: VERSION } }
  await storage.append(toAppend(createStream(toTaskId("a"), [command])))
  return storage
}

describe("the definitions of an export", () => {
  it("are those that its tasks name, and arrive once", async () => {
    const lines = await exportLines(await createSource())
    const definitions = lines.filter((line) => line.startsWith('{"kind":"definition"'))
    assert.equal(definitions.length, 1)
    assert.match(definitions[0] ?? "", new RegExp(VERSION))
    const target = createMemoryStorage()
    await take(target, lines)
    await take(target, lines)
    const kept = await target.listDefinitions("price")
    assert.equal(kept.length, 1)
    const prices = await readKeptPrices(target, { prices: [BOOK[0]], models: [] })
    const audit = createAudit({ storage: target, digest: sha256, prices, models: MODELS })
    assert.equal((await audit.replay()).outcome, "whole")
  })

  it("are those of its tasks' models too, which are refused where nobody could read them", async () => {
    const [first] = MODEL_DEFINITIONS
    assert.ok(first !== undefined)
    const lines = await exportLines(await createSource(first.digest))
    const target = createMemoryStorage()
    await take(target, lines)
    assert.deepEqual(await target.listDefinitions("model"), [first])
    const at = findLine(lines, "definition")
    for (const body of ["{", '{"id":"acme/flux"}', `${first.body} `]) {
      const altered = alterRecord(lines, at, (record) => {
        return { ...record, definition: { kind: "model", digest: sha256([body]), body } }
      })
      const refused = createMemoryStorage()
      const message = /is no model that this release reads/
      await assert.rejects(take(refused, altered), { code: "export-refused", message })
      assert.deepEqual(await refused.listDefinitions("model"), [])
    }
  })

  it("are refused where they are not what their digest or their version says", async () => {
    const lines = await exportLines(await createSource())
    const at = findLine(lines, "definition")
    const alter = (change: (body: string) => string, isResealed: boolean): string[] =>
      alterRecord(lines, at, (record) => {
        const { body, digest, kind } = record["definition"] as Record<string, string>
        const changed = change(body ?? "")
        const definition = { kind, digest: isResealed ? sha256([changed]) : digest, body: changed }
        return { ...record, definition }
      })
    const cheaper = (body: string): string => body.replace(":5", ":1")
    for (const [wrong, message] of [
      [alter(cheaper, false), /is not what its digest says/],
      [alter(cheaper, true), /is no price, or not the one that its version names/],
      [alter(() => "{", true), /is no price/],
    ] as const) {
      const target = createMemoryStorage()
      await assert.rejects(take(target, wrong), { code: "export-refused", message })
      assert.deepEqual(await target.listDefinitions("price"), [])
    }
  })
})
