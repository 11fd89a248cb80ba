/**
 * A price by what is asked, over HTTP and by the commands of an account: what is quoted is what is reserved, the
 * picture that is made is charged by the same factors, and the command that computes the charge again agrees.
 */
import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { createFirstKey } from "@safelight/access"
import { createAudit } from "@safelight/audit"
import { DEFAULT_PRICES, textToImage, type PriceBook } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { priceVersionOf } from "../../support/price-version.ts"
import { runCommand } from "../command/command-process.ts"
import { openOwnServices } from "../own-services.ts"

const PICTURE = textToImage.id
const FACTORS = {
  size: { portrait_16_9: "2.5", "*": "1" },
  enable_safety_checker: { true: "1", false: "0.5" },
}
const TABLE = {
  version: "by-size",
  models: {
    ...DEFAULT_PRICES[0].models,
    [PICTURE]: { perImageMicros: 1_001, perRequestMicros: 2, factors: FACTORS },
  },
}
const PRICES: PriceBook = [...DEFAULT_PRICES, TABLE]
const VERSION = priceVersionOf(TABLE, PICTURE)
const ASKED = JSON.stringify({ prompt: "fog", size: "portrait_16_9", enable_safety_checker: false })

async function serve(t: TestContext) {
  const { folder, start } = await openOwnServices(t)
  const service = await start({ prices: PRICES })
  const made = await createFirstKey(service.storage, Date.now())
  const key = made?.key ?? assert.fail("no key")
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const run = async (...words: readonly string[]) => {
    const end = await runCommand([...words, "--url", service.url, "--key", key], { folder })
    assert.equal(end.code, 0, end.stderr)
    return end.stdout
  }
  return { headers, run, service }
}

test("a price with factors is told, quoted, charged, explained and replayed alike", async (t) => {
  const { headers, run, service } = await serve(t)
  assert.match(
    await run("models", PICTURE),
    /1001 micro-units \(0\.001001\) an image, 2 micro-units \(0\.000002\) a request, by size: × 2\.5 portrait_16_9, × 1 \*, by enable_safety_checker: × 1 true, × 0\.5 false/,
  )
  const answer = await fetch(`${service.url}/v1/quotes`, {
    method: "POST",
    headers,
    body: JSON.stringify({ model: PICTURE, parameters: JSON.parse(ASKED) as unknown }),
  })
  const factors = [
    { param: "parameters.size", value: "portrait_16_9", factor: "2.5" },
    { param: "parameters.enable_safety_checker", value: false, factor: "0.5" },
  ]
  const { lines, max_cost_micros, price, price_version } = (await answer.json()) as Readonly<
    Record<string, unknown>
  >
  // (1001 + 2) × 2.5 × 0.5 = 1253.75
  assert.deepEqual([max_cost_micros, price_version], [1_254, VERSION])
  assert.deepEqual(price, { per_image_micros: 1_001, per_request_micros: 2, factors: FACTORS })
  const line = { factors, is_estimate: false }
  assert.deepEqual(lines, [
    { ...line, item: "image", unit: "image", unit_price_micros: 1_001, images: 1 },
    { ...line, item: "request", unit: "request", unit_price_micros: 2, requests: 1 },
  ])
  const quoted = (await run("quote", PICTURE, ASKED)).split("\n")
  assert.equal(
    quoted[0],
    "image: 1, at 1001 micro-units (0.001001) an image × 2.5 for size portrait_16_9 × 0.5 for enable_safety_checker false",
  )
  const quote = quoted[4] ?? ""
  const submit = ["tasks", "submit", "--model", PICTURE, "--parameters", ASKED, "--quote", quote]
  const id = (await run(...submit, "--wait")).trim().split("\n")[0] ?? ""
  const usage = await run("usage", id)
  assert.match(
    usage,
    /^\(1 image × 1001 \+ 1 request × 2\) × 2\.5 for size portrait_16_9 × 0\.5 for enable_safety_checker false = 1253\.75, rounded up to 1254 micro-units \(0\.001254\)\ncharged 1254 /m,
  )
  const { storage } = service
  const audit = createAudit({ storage, digest: sha256, prices: PRICES, models: [textToImage] })
  const { findings, outcome } = await audit.replay()
  assert.deepEqual([outcome, findings], ["whole", []])
})
