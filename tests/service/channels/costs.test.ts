/**
 * What providers charge, from their answers to the operator's commands, over stubs and a real socket;
 * and that no answer to an account tells any of it.
 */
import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { imageEdit, textToImage } from "@safelight/core"
import { STUBS } from "@safelight/testkit/stubs"
import { createFirstKey } from "@safelight/access"
import { createService, DEFAULTS } from "safelight"
import { runCommand, temporaryFolder } from "../command/command-process.ts"

const KEY = "key-of:a-provider"
const EDIT = {
  model: imageEdit.id,
  parameters: { prompt: "fog", image_urls: ["data:image/png;base64,AAAA"], count: 2 },
}
const PICTURE = { model: textToImage.id, parameters: { prompt: "fog" } }

/** Every name and figure of the upstream side, as the stubs tell it: two edits and one picture. */
const UPSTREAM =
  /cost|usd|ticks|billable|credits|told|computed|:(?:80000|7000)\b|withheld by|provider_words/i

interface Made {
  readonly folder: string
  /** Of the edit, of the picture and of the refused picture. */
  readonly ids: readonly string[]
  /** All that the account was answered. */
  readonly answers: readonly string[]
}

/** xAI tells money, fal its own units: an edit, a picture and one that fal withholds. */
async function make(t: TestContext): Promise<Made> {
  const places = new AsyncDisposableStack()
  t.after(() => places.disposeAsync())
  const xai = places.use((await STUBS["xai"]?.({ runMs: 0 })) ?? assert.fail())
  const fal = places.use((await STUBS["fal"]?.({ runMs: 0 })) ?? assert.fail())
  const folder = await temporaryFolder(t)
  const channels = [
    { type: "xai", baseUrl: xai.url, keyVariable: "PROVIDER_KEY", models: [imageEdit.id] },
    {
      type: "fal",
      baseUrl: fal.url,
      keyVariable: "PROVIDER_KEY",
      models: [textToImage.id],
      costs: { [textToImage.id]: { perUnitMicros: 7_000 } },
    },
  ]
  const configuration = { ...DEFAULTS, port: 0, stopGraceMs: 0, data: `${folder}/data`, channels }
  const environment = { PROVIDER_KEY: KEY }
  const service = await createService({ configuration, environment })
  try {
    const { key } = (await createFirstKey(service.storage, Date.now())) ?? assert.fail()
    const answers: string[] = []
    const ids: string[] = []
    const ask = async (path: string, body?: object): Promise<string> => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const sent = body && { method: "POST", body: JSON.stringify(body) }
      const response = await fetch(`${service.url}${path}`, { headers, ...sent })
      const text = `${JSON.stringify([...response.headers])}\n${await response.text()}`
      answers.push(text)
      return text
    }
    for (const [index, request] of [EDIT, PICTURE, PICTURE].entries()) {
      fal.setFaults({ own: index === 2 ? ["content-policy"] : [] })
      const id = /"task_id":"([^"]+)"/.exec(await ask("/v1/tasks", request))?.[1] ?? ""
      await service.engine.finished(id)
      ids.push(id)
    }
    const own = ["", "/artifacts", "/events", "/usage"]
    const paths = ids.flatMap((id) => own.map((path) => `/v1/tasks/${id}${path}`))
    for (const path of [...paths, "/v1/tasks", "/v1/usage", "/v1/channels", "/v1/tasks?limit=1"]) {
      await ask(path)
    }
    return { folder, ids, answers }
  } finally {
    await service.stop()
  }
}

test("providers' charges reach the operator's commands, and no answer to an account", async (t) => {
  const { answers, folder, ids } = await make(t)
  assert.ok(answers.some((text) => text.includes('"charge_micros":40000')))
  assert.ok(answers.some((text) => text.includes("content_policy_violation")))
  for (const text of answers) assert.doesNotMatch(text, UPSTREAM)

  const usage = async (...words: string[]) =>
    runCommand(["usage", "--margin", ...words], { folder })
  const { channels, total } = JSON.parse((await usage("--json")).stdout) as {
    readonly channels: readonly Record<string, unknown>[]
    readonly total: Record<string, unknown>
  }
  assert.deepEqual(channels, [
    {
      channel: "fal",
      model: textToImage.id,
      succeeded: 1,
      failed: 1,
      charge_micros: 10_000,
      told_micros: 0,
      computed_micros: 7_000,
      unknown: 1,
      margin_micros: 3_000,
    },
    {
      channel: "xai",
      model: imageEdit.id,
      succeeded: 1,
      failed: 0,
      charge_micros: 40_000,
      told_micros: 80_000,
      computed_micros: 0,
      unknown: 0,
      margin_micros: -40_000,
    },
  ])
  assert.equal(total["margin_micros"], -37_000)
  const { code, stderr, stdout } = await usage()
  assert.deepEqual([code, stderr], [0, ""])
  const table = stdout.split("\n").map((line) => line.split(/ {2,}/))
  assert.equal(
    table[0]?.join(" "),
    "CHANNEL MODEL SUCCEEDED FAILED CHARGED COST TOLD COST COMPUTED UNKNOWN MARGIN",
  )
  assert.match(stdout, /^xai .* 0\.040000 +0\.080000 +0\.000000 +0 +-0\.040000$/m)
  assert.match(stdout, /^total +2 +1 +0\.050000 .* -0\.037000$/m)
  assert.match(stdout, /what 1 attempt cost is not known, so the margin is at most what is shown/)
  const later = await usage("--from", "2099-01-01", "--json")
  assert.deepEqual((JSON.parse(later.stdout) as { channels: unknown[] }).channels, [])

  const replayed = await runCommand(["audit", "replay"], { folder })
  assert.deepEqual([replayed.code, replayed.stderr], [0, ""])
  const [edit = "", picture = "", refused = ""] = ids
  const told = async (id: string) => (await runCommand(["audit", "task", id], { folder })).stdout
  assert.match(
    await told(edit),
    /succeeded .* charged 40000 .*; the provider charged 0\.08 US dollars$/m,
  )
  assert.match(
    await told(picture),
    /the provider charged 1 billable_units, by the unit price it cost 0\.007 US dollars$/m,
  )
  assert.match(
    await told(refused),
    /content_policy_violation; .*; what it cost upstream is not known$/m,
  )
  assert.match(await told(refused), /^attempt 1, the provider's words: /m)
})

test("a margin is of the data, and a wrong use of it is one line", async (t) => {
  const folder = await temporaryFolder(t)
  const wrong: readonly (readonly [string, ...string[]])[] = [
    ["--margin is for all tasks, not for one", "--margin", "0198c0de-0000-7000-8000-000000000009"],
    ["--margin reads the data: leave out --url, --timeout and --key", "--margin", "--key", "x"],
    ["--data, --database and --config need --margin", "--data", "x"],
    ["--from: expected a moment before --to", "--margin", "--from", "2026-02", "--to", "2026-01"],
  ]
  for (const [message, ...words] of wrong) {
    const { code, stderr, stdout } = await runCommand(["usage", ...words], { folder })
    assert.deepEqual([code, stderr, stdout], [2, `safelight: ${message}\n`, ""])
  }
})
