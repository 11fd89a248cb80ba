/**
 * `safelight models`, `quote` and `balance`, and a submission that names a quote, against a real service; then
 * the words for what a scripted one says.
 */
import assert from "node:assert/strict"
import { describe, test, type TestContext } from "node:test"
import { runCommand, temporaryFolder } from "./command-process.ts"
import { createInProcessService } from "../in-process-service.ts"
import { json, startScripted } from "./scripted-service.ts"

const KEY = "sl_live_0123456789_secret"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const EDIT_PARAMETERS = JSON.stringify({
  prompt: "night",
  image_urls: ["https://media.example/a.png"],
  count: 2,
})

async function run(t: TestContext, words: readonly string[], url: string, key = KEY) {
  const folder = await temporaryFolder(t)
  return runCommand([...words, "--url", url, "--key", key], { folder })
}

describe("knowing the price before", () => {
  test("a quote is printed with its parts, and a submission is held to it", async (t) => {
    await using service = await createInProcessService()
    const { url, keys } = service
    const quoted = await run(t, ["quote", EDIT, EDIT_PARAMETERS], url, keys.whole)
    assert.deepEqual([quoted.code, quoted.stderr], [0, ""])
    const [line, sum, until, quote = ""] = quoted.stdout.split("\n")
    assert.equal(line, "image: 2, at 20000 micro-units (0.020000) an image")
    assert.match(
      sum ?? "",
      /^at most 40000 micro-units \(0\.040000\), by table "default-1#[\da-f]{8}"$/,
    )
    assert.match(until ?? "", /^valid until \d{4}-\d\d-\d\dT[\d:]+\.000Z$/)
    const submit = ["tasks", "submit", "--model", EDIT, "--parameters"]
    const named = await run(t, [...submit, EDIT_PARAMETERS, "--quote", quote], url, keys.whole)
    assert.equal(named.code, 0)
    const four = EDIT_PARAMETERS.replace('"count":2', '"count":4')
    const dearer = await run(t, [...submit, four, "--quote", quote], url, keys.whole)
    assert.equal(dearer.code, 2)
    assert.match(dearer.stderr, /402.* 80000 .* 40000 .*\(max_cost_exceeded\)/)
    const limit = ["--max-cost-micros", "39999"]
    const limited = await run(t, [...submit, EDIT_PARAMETERS, ...limit], url, keys.whole)
    assert.match(limited.stderr, /402.*\(max_cost_exceeded\)/)
    assert.equal(service.countStored().tasks, 1)
    const balance = await run(t, ["balance"], url, keys.whole)
    assert.match(balance.stdout, /^budget +none\nspent +0 .*\nreserved +40000 micro-units/)
    assert.doesNotMatch(balance.stdout, /left/)
  })

  test("the models are a table, or everything about them as JSON", async (t) => {
    await using service = await createInProcessService()
    const { url, keys } = service
    const { stdout } = await run(t, ["models"], url, keys.whole)
    assert.match(stdout, /^MODEL +MAKES +PRICE\n/)
    assert.match(stdout, /^vendor-c\/video-2\.5\/reference-to-video +video +100000 .* a second$/m)
    const one = await run(t, ["models", EDIT], url, keys.whole)
    assert.equal(one.stdout.split("\n").length, 3)
    const whole = await run(t, ["models", EDIT, "--json"], url, keys.whole)
    const { parameters } = JSON.parse(whole.stdout) as { parameters: { required: unknown } }
    assert.deepEqual(parameters.required, ["image_urls", "prompt"])
    const unknown = await run(t, ["models", "none"], url, keys.whole)
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /404.*does not exist/)
  })

  test("amounts name the currency that the service names", async (t) => {
    const amounts = { budget_micros: 100, reserved_micros: 0, spent_micros: 30, left_micros: 70 }
    const { url } = await startScripted(t, [json(200, { currency: "credits", ...amounts })])
    const { stdout } = await run(t, ["balance"], url)
    assert.match(stdout, /^budget +100 micro-units \(0\.000100 credits\)$/m)
    assert.match(stdout, /^left +70 micro-units \(0\.000070 credits\)$/m)
  })

  test("the balance of a budget has what is left", async (t) => {
    const body = {
      budget_micros: 100,
      reserved_micros: 20,
      spent_micros: 30,
      left_micros: 50,
    }
    const { url, requests } = await startScripted(t, [json(200, body)])
    const { stdout } = await run(t, ["balance"], url)
    assert.match(stdout, /^budget +100 .*\nspent +30 .*\nreserved +20 .*\nleft +50 /)
    assert.equal(requests[0]?.url, "/v1/balance")
    const whole = await run(t, ["balance", "--json"], url)
    assert.deepEqual(JSON.parse(whole.stdout), body)
  })

  test("what is no quote, no JSON or no answer is said in one line", async (t) => {
    const { url } = await startScripted(t, [json(200, { quote: "x" })])
    const submit = ["tasks", "submit", "--model", "m", "--parameters", "{}"]
    const wrong = await run(t, [...submit, "--quote", "a b"], url)
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /expected what `safelight quote` printed/)
    const broken = await run(t, ["quote", EDIT, "{"], url)
    assert.match(broken.stderr, /^safelight: <parameters>: the argument is not JSON\n$/)
    const odd = await run(t, ["quote", EDIT, "{}"], url)
    assert.equal(odd.code, 3)
  })
})
