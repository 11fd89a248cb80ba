/** `safelight prices check`: the tables of a configuration, worked out, or the field that is wrong. */
import assert from "node:assert/strict"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { chargeUsage, DEFAULT_PRICES } from "@safelight/core"
import { priceVersionOf } from "../../support/price-version.ts"
import { runCommand, temporaryFolder } from "./command-process.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"
const MODELS = {
  [PICTURE]: { perImageMicros: 7 },
  [EDIT]: { perImageMicros: 1_000_001 },
  [VIDEO]: { perVideoSecondMicros: 333 },
}

async function check(t: TestContext, words: readonly string[], file?: unknown) {
  const folder = await temporaryFolder(t)
  const text = typeof file === "string" ? file : JSON.stringify(file)
  if (file !== undefined) await writeFile(join(folder, "prices.json"), text)
  const end = await runCommand(["prices", "check", ...words], { folder })
  return { ...end, left: await readdir(folder) }
}

const versionOf = (model: string) => priceVersionOf(DEFAULT_PRICES[0], model)

test("without a configuration the built-in table prices new tasks", async (t) => {
  const { code, stdout, stderr, left } = await check(t, [])
  assert.equal(
    stdout,
    `table "default-1" prices new tasks
  ${PICTURE}  10000 micro-units (0.010000) an image  ${versionOf(PICTURE)}
    one image: 1 image × 10000 = 10000 micro-units (0.010000)
  ${EDIT}  20000 micro-units (0.020000) an image  ${versionOf(EDIT)}
    one image: 1 image × 20000 = 20000 micro-units (0.020000)
    an edit of four images: 4 images × 20000 = 80000 micro-units (0.080000)
  ${VIDEO}  100000 micro-units (0.100000) a second  ${versionOf(VIDEO)}
    a video of 5 s: 5 s × 100000 = 500000 micro-units (0.500000)
    5 s edited from 2.5 s: the main input of 2.5 s counts as 4 s: (5 s + 4 s) × 100000 = 900000 micro-units (0.900000)
    5 s edited from 40 s: input of 40 s is billed as 30 s, the most that counts: (5 s + 30 s) × 100000 = 3500000 micro-units (3.500000)
`,
  )
  assert.deepEqual([code, stderr, left], [0, "", []])
})

test("the last table prices new tasks, older ones stay for theirs", async (t) => {
  const prices = [
    { version: "a", models: { [PICTURE]: { perImageMicros: 1 } } },
    { version: "b", models: MODELS },
  ]
  const { code, stdout } = await check(t, ["prices.json"], { prices })
  const heads = stdout.split("\n").filter((line) => line.startsWith("table"))
  assert.deepEqual(heads, [
    'table "b" prices new tasks',
    'table "a" stays for the tasks that were accepted under it',
    'table "default-1" stays for the tasks that were accepted under it',
  ])
  assert.match(stdout, /one image: 1 image × 1 = 1 micro-unit \(0\.000001\)/)
  assert.match(stdout, /4 images × 1000001 = 4000004 micro-units \(4\.000004\)/)
  assert.equal(code, 0)
})

test("--json prints every example as core charges it", async (t) => {
  const file = { prices: [{ version: "b", models: MODELS }] }
  const { stdout } = await check(t, ["prices.json", "--json"], file)
  const tables = JSON.parse(stdout) as {
    version: string
    prices_new_tasks: boolean
    models: { model: string; price_version: string; examples: { charge_micros: number }[] }[]
  }[]
  const current = tables.map((each) => [each.version, each.prices_new_tasks])
  assert.deepEqual(current, [
    ["default-1", false],
    ["b", true],
  ])
  assert.equal(tables[0]?.models[0]?.price_version, versionOf(PICTURE))
  const usage = { images: 0, inputVideosMs: [], outputVideoMs: 5_000 }
  const inputs = [[], [2_500], [40_000]]
  assert.deepEqual(
    tables[1]?.models.map(({ examples }) => examples.map((each) => each.charge_micros)),
    [
      [chargeUsage({ ...usage, images: 1 }, MODELS[PICTURE], {})],
      [1, 4].map((images) => chargeUsage({ ...usage, images }, MODELS[EDIT], {})),
      inputs.map((inputVideosMs) => chargeUsage({ ...usage, inputVideosMs }, MODELS[VIDEO], {})),
    ],
  )
})

const mistakes: readonly (readonly [string, unknown, RegExp])[] = [
  ["no file", undefined, /^safelight: prices\.json: there is no such file$/],
  ["no JSON", "{", /prices\.json: not JSON/],
  [
    "a fraction of a micro-unit",
    { prices: [{ version: "b", models: { ...MODELS, [PICTURE]: { perImageMicros: 0.5 } } }] },
    /prices\.json: prices\[0\]\.models\.vendor-a\S+\.perImageMicros: expected a whole number/,
  ],
  [
    "a rate that is none",
    { prices: [{ version: "b", models: { ...MODELS, [PICTURE]: { perImage: 1 } } }] },
    /unknown field "prices\[0\]\.models\.vendor-a\S+\.perImage"$/,
  ],
  [
    "a model without a price",
    { prices: [{ version: "b", models: { [PICTURE]: { perImageMicros: 1 } } }] },
    /prices: the last table has no price for "vendor-b/,
  ],
  [
    "a version twice",
    {
      prices: [
        { version: "b", models: MODELS },
        { version: "b", models: MODELS },
      ],
    },
    /prices: version "b" names another table already$/,
  ],
]
for (const [name, file, expected] of mistakes) {
  test(`${name} is named in one line and ends with 2`, async (t) => {
    const { code, stdout, stderr } = await check(t, ["prices.json"], file)
    assert.match(stderr, /^[^\n]+\n$/)
    assert.match(stderr.trimEnd(), expected)
    assert.deepEqual([code, stdout], [2, ""])
  })
}
