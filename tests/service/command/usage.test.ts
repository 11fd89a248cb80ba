/**
 * `safelight usage`: the words for a charge against a scripted service, whose numbers a test
 * chooses, then the whole way from recorded tasks through a real one.
 */
import assert from "node:assert/strict"
import { describe, test, type TestContext } from "node:test"
import { billedInputMs, chargeUsage } from "@safelight/core"
import { runCommand, startService, temporaryFolder } from "./command-process.ts"
import { EDIT, PICTURE, pictures, recordTasks, VIDEO, video } from "./recorded-tasks.ts"
import { json, startScripted } from "./scripted-service.ts"

const KEY = "sl_live_0123456789_secret"
const ID = "0199-task"

interface Measured {
  readonly rate: number
  readonly outputMs: number
  readonly inputsMs?: readonly number[]
}

/** What a service says of a video that succeeded, charged by core. */
function videoUsage({ rate, outputMs, inputsMs = [] }: Measured) {
  const usage = { images: 0, outputVideoMs: outputMs, inputVideosMs: [...inputsMs] }
  return {
    task_id: ID,
    model: VIDEO,
    status: "succeeded",
    labels: {},
    finished_at: 2,
    price_version: "v",
    price: { per_video_second_micros: rate },
    reserved_micros: 0,
    charge_micros: chargeUsage(usage, { perVideoSecondMicros: rate }, {}),
    charge_limit_micros: 1_000_000_000_000,
    usage: {
      images: 0,
      output_video_ms: outputMs,
      input_videos_ms: inputsMs,
      billed_input_ms: billedInputMs(inputsMs),
    },
  }
}

function imageUsage(images: number, rate: number) {
  const usage = { images, outputVideoMs: 0, inputVideosMs: [] }
  return {
    ...videoUsage({ rate, outputMs: 0 }),
    model: EDIT,
    price: { per_image_micros: rate },
    charge_micros: chargeUsage(usage, { perImageMicros: rate }, {}),
    usage: { images, output_video_ms: 0, input_videos_ms: [], billed_input_ms: 0 },
  }
}

async function run(t: TestContext, words: readonly string[], body: unknown, status = 200) {
  const { url, requests } = await startScripted(t, [json(status, body, { "retry-after": "0" })])
  const folder = await temporaryFolder(t)
  const end = await runCommand(["usage", ...words, "--url", url, "--key", KEY], { folder })
  return { ...end, requests }
}

describe("a task's usage in words", () => {
  const head = `${ID}  succeeded  ${VIDEO}\npriced by table "v"\n`
  const videos: readonly (readonly [string, Measured, string])[] = [
    [
      "output alone",
      { rate: 100_000, outputMs: 5_000 },
      `output of 5 s, as measured
5 s × 100000 = 500000 micro-units (0.500000)
charged 500000 micro-units (0.500000)
`,
    ],
    [
      "a fraction of a micro-unit, rounded up",
      { rate: 333, outputMs: 7_123 },
      `output of 7.123 s, as measured
7.123 s × 333 = 2371.959, rounded up to 2372 micro-units (0.002372)
charged 2372 micro-units (0.002372)
`,
    ],
    [
      "a main input that is too short",
      { rate: 1_000, outputMs: 5_000, inputsMs: [2_500, 1_250] },
      `output of 5 s, as measured
input of 2.5 s + 1.25 s, as measured
the main input of 2.5 s counts as 4 s
(5 s + 5.25 s) × 1000 = 10250 micro-units (0.010250)
charged 10250 micro-units (0.010250)
`,
    ],
    [
      "one long input",
      { rate: 1_000, outputMs: 5_000, inputsMs: [40_000] },
      `output of 5 s, as measured
input of 40 s, as measured
input of 40 s is billed as 30 s, the most that counts
(5 s + 30 s) × 1000 = 35000 micro-units (0.035000)
charged 35000 micro-units (0.035000)
`,
    ],
    [
      "both rules at once, the second because of the first",
      { rate: 1_000, outputMs: 5_000, inputsMs: [1_000, 26_001] },
      `output of 5 s, as measured
input of 1 s + 26.001 s, as measured
the main input of 1 s counts as 4 s
input of 30.001 s is billed as 30 s, the most that counts
(5 s + 30 s) × 1000 = 35000 micro-units (0.035000)
charged 35000 micro-units (0.035000)
`,
    ],
    [
      "inputs that no rule touches",
      { rate: 1_000, outputMs: 0, inputsMs: [4_000, 26_000] },
      `output of 0 s, as measured
input of 4 s + 26 s, as measured
(0 s + 30 s) × 1000 = 30000 micro-units (0.030000)
charged 30000 micro-units (0.030000)
`,
    ],
  ]
  for (const [name, measured, expected] of videos) {
    test(name, async (t) => {
      const { code, stdout, stderr, requests } = await run(t, [ID], videoUsage(measured))
      assert.equal(stdout, head + expected)
      assert.deepEqual([code, stderr], [0, ""])
      assert.equal(requests[0]?.url, `/v1/tasks/${ID}/usage`)
      assert.equal(requests[0]?.headers.authorization, `Bearer ${KEY}`)
    })
  }

  test("images are counted", async (t) => {
    const { stdout } = await run(t, [ID], imageUsage(4, 20_000))
    assert.match(stdout, /^4 images × 20000 = 80000 micro-units \(0\.080000\)$/m)
    assert.match(stdout, /^charged 80000 micro-units \(0\.080000\)$/m)
  })

  test("an unfinished task shows what is held back", async (t) => {
    const body = { ...videoUsage({ rate: 1, outputMs: 0 }), status: "queued", finished_at: 0 }
    const { code, stdout } = await run(t, [ID], { ...body, usage: null, reserved_micros: 1 })
    assert.match(stdout, /^reserved 1 micro-unit \(0\.000001\) until it has finished/m)
    assert.equal(code, 0)
  })

  test("a failed task that was not billed cost nothing", async (t) => {
    const body = { ...videoUsage({ rate: 1, outputMs: 0 }), status: "failed", usage: null }
    const { code, stdout } = await run(t, [ID], body)
    assert.match(stdout, /^charged 0 micro-units \(0\.000000\): nothing was used that is billed$/m)
    assert.equal(code, 0)
  })

  test("a price that the service no longer knows leaves the charge as recorded", async (t) => {
    const body = { ...imageUsage(1, 5), price: null }
    const { code, stdout } = await run(t, [ID], body)
    assert.match(stdout, /^charged 5 .*no longer knows the prices of that table$/m)
    assert.equal(code, 0)
  })

  test("a charge that price and usage do not make ends with 5", async (t) => {
    const { code, stdout } = await run(t, [ID], { ...imageUsage(1, 5), charge_micros: 6 })
    assert.match(stdout, /^this is not what price and usage make$/m)
    assert.equal(code, 5)
  })

  test("a charge is at most what was reserved, and it is said that it is less than the sum", async (t) => {
    const limited = {
      ...videoUsage({ rate: 100_000, outputMs: 5_040 }),
      charge_limit_micros: 500_000,
    }
    const { code, stdout } = await run(t, [ID], { ...limited, charge_micros: 500_000 })
    assert.match(stdout, /= 504000 micro-units \(0\.504000\)\n/)
    assert.match(
      stdout,
      /^at most what was reserved is charged: 500000 micro-units \(0\.500000\)$/m,
    )
    assert.match(stdout, /^charged 500000 micro-units \(0\.500000\)$/m)
    assert.equal(code, 0)
    for (const charge_micros of [499_999, 504_000]) {
      assert.equal((await run(t, [ID], { ...limited, charge_micros })).code, 5)
    }
    const below = { ...limited, charge_limit_micros: 600_000 }
    const measured = await run(t, [ID], below)
    assert.equal(measured.code, 0)
    assert.doesNotMatch(measured.stdout, /reserved/)
  })

  test("a model that is unknown here is explained by what it used", async (t) => {
    const { stdout } = await run(t, [ID], { ...imageUsage(2, 5), model: "host/model" })
    assert.match(stdout, /^2 images × 5 = 10 micro-units/m)
  })

  test("--json prints what the service sends", async (t) => {
    const body = { ...imageUsage(1, 5), more: [1] }
    const { stdout } = await run(t, [ID, "--json"], body)
    assert.deepEqual(JSON.parse(stdout), body)
  })

  test("an unknown task ends with 2, an answer that is no usage with 3", async (t) => {
    const error = { message: "words", type: "not_found_error", code: "task_not_found" }
    const unknown = await run(t, ["a/b"], { error }, 404)
    assert.equal(unknown.code, 2)
    assert.equal(unknown.requests[0]?.url, "/v1/tasks/a%2Fb/usage")
    const body = { ...imageUsage(1, 5), charge_micros: 0.5 }
    assert.equal((await run(t, [ID], body)).code, 3)
  })
})

const REPORT = {
  from: 0,
  to: 9,
  charge_micros: 1_510_000,
  tasks: 3,
  charges: [
    {
      model: VIDEO,
      price_version: "v",
      tasks: 1,
      images: 0,
      output_video_ms: 7_123,
      billed_input_ms: 4_000,
      charge_micros: 1_500_000,
    },
    {
      model: PICTURE,
      price_version: "default-1",
      tasks: 2,
      images: 2,
      output_video_ms: 0,
      billed_input_ms: 0,
      charge_micros: 10_000,
    },
  ],
  account: {
    budget_micros: 2_000_000,
    charged_micros: 1_510_000,
    reserved_micros: 500_000,
    unfinished_tasks: 1,
  },
}

describe("an account's usage", () => {
  test("a line for each model and table, the total, and what is left", async (t) => {
    const { code, stdout, requests } = await run(t, [], REPORT)
    assert.equal(
      stdout,
      `MODEL                                  PRICES     TASKS  IMAGES   OUTPUT  INPUT  MICRO-UNITS     UNITS
vendor-c/video-2.5/reference-to-video  v              1       0  7.123 s    4 s      1500000  1.500000
vendor-a/v4.1/flash/text-to-image      default-1      2       2      0 s    0 s        10000  0.010000
total                                                 3                              1510000  1.510000

budget    2000000 micro-units (2.000000)
charged   1510000 micro-units (1.510000)
reserved  500000 micro-units (0.500000) for 1 unfinished task
left      -10000 micro-units (-0.010000)
`,
    )
    assert.equal(code, 0)
    assert.equal(requests[0]?.url, "/v1/usage")
  })

  test("without a budget nothing is left of it", async (t) => {
    const account = { ...REPORT.account, budget_micros: null }
    const { stdout } = await run(t, [], { ...REPORT, account })
    assert.match(stdout, /^budget {4}none$/m)
    assert.doesNotMatch(stdout, /^left/m)
  })

  const moments: readonly (readonly [string, string])[] = [
    ["0", "0"],
    ["1793491200", "1793491200"],
    ["2026-11", "1793491200"],
    ["2026-11-01", "1793491200"],
    ["2026-11-01T09:30", "1793525400"],
    ["2026-11-01T09:30:15Z", "1793525415"],
    ["2026-11-01T09:30+01:00", "1793521800"],
    ["2024-02-29", "1709164800"],
  ]
  for (const [typed, seconds] of moments) {
    test(`${typed} is ${seconds}, wherever it is typed`, async (t) => {
      const { url, requests } = await startScripted(t, [json(200, REPORT)])
      const folder = await temporaryFolder(t)
      const environment = { SAFELIGHT_API_KEY: KEY, TZ: "Asia/Kolkata" }
      const words = ["usage", "--from", typed, "--to", "9999999999", "--url", url, "--json"]
      const { stdout, code } = await runCommand(words, { folder, environment })
      assert.equal(requests[0]?.url, `/v1/usage?from=${seconds}&to=9999999999`)
      assert.deepEqual(JSON.parse(stdout), REPORT)
      assert.equal(code, 0)
    })
  }

  const mistakes: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      "a word",
      ["--from", "yesterday"],
      /option '--from <moment>'.*expected Unix seconds or an ISO/,
    ],
    ["a day that is none", ["--to", "2026-02-30"], /option '--to <moment>'/],
    ["a month that is none", ["--to", "2026-13"], /option '--to <moment>'/],
    ["an hour that is none", ["--to", "2026-02-01T24:00"], /option '--to <moment>'/],
    ["a fraction", ["--from", "1.5"], /option '--from <moment>'/],
    ["a moment before 1970", ["--from", "1969-12-31"], /option '--from <moment>'/],
    ["a period that ends before it begins", ["--from", "2", "--to", "1"], /--from: expected a/],
    ["a label of one task", [ID, "--label", "k=v"], /--label are for all tasks/],
    ["a label of the margin", ["--margin", "--label", "k=v"], /leave out --label/],
    ["a label without a value", ["--label", "k"], /option '--label <key=value>'/],
    ["a period of one task", [ID, "--from", "2"], /--from, --to and --label are for all tasks/],
  ]
  for (const [name, words, expected] of mistakes) {
    test(`${name} is one line and ends with 2 before anything is sent`, async (t) => {
      const { code, stdout, stderr, requests } = await run(t, words, REPORT)
      assert.match(stderr, /^safelight: [^\n]+\n$/)
      assert.match(stderr, expected)
      assert.deepEqual([code, stdout, requests.length], [2, "", 0])
    })
  }
})

test("what a real service recorded is explained and adds up", async (t) => {
  const folder = await temporaryFolder(t)
  const data = `${folder}/data`
  const made = await runCommand(["keys", "create", "--account", "ada", "--json"], { folder })
  const { key } = JSON.parse(made.stdout) as { key: string }
  const edit = { prompt: "", image_urls: ["https://media.example/a.png"], count: 3 }
  const from = { prompt: "x", video_urls: ["https://media.example/a.mp4"] }
  const ids = await recordTasks(
    data,
    [
      { model: PICTURE, outcome: pictures(1) },
      { model: EDIT, parameters: edit, outcome: pictures(3) },
      { model: VIDEO, parameters: from, outcome: video(5_001, [2_500]) },
      { model: VIDEO, parameters: { prompt: "[studio: stall]", duration: 4 } },
    ],
    { account: "ada" },
  )
  const { url } = await startService(folder, ["--sandbox"])
  const environment = { SAFELIGHT_API_KEY: key }
  const ask = async (...words: string[]) =>
    (await runCommand(["usage", ...words, "--url", url], { folder, environment })).stdout
  assert.match(await ask(ids[1] ?? ""), /^3 images × 20000 = 60000 micro-units/m)
  const edited = await ask(ids[2] ?? "")
  assert.match(edited, /^the main input of 2\.5 s counts as 4 s$/m)
  assert.match(edited, /^\(5\.001 s \+ 4 s\) × 100000 = 900100 micro-units \(0\.900100\)$/m)
  const all = JSON.parse(await ask("--json")) as typeof REPORT
  assert.equal(all.charge_micros, 10_000 + 60_000 + 900_100)
  assert.equal(all.tasks, 3)
  assert.deepEqual(all.account, {
    budget_micros: null,
    charged_micros: all.charge_micros,
    reserved_micros: 400_000,
    unfinished_tasks: 1,
  })
  assert.match(await ask(ids[3] ?? ""), /^reserved 400000 .* until it has finished/m)
  const none = JSON.parse(await ask("--to", "2020-01-01", "--json")) as typeof REPORT
  assert.deepEqual([none.charge_micros, none.charges], [0, []])
})
