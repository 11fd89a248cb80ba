/**
 * What holds for every stub: a create that was answered badly was bought all the same, one that was
 * refused was not, and whoever has no credentials gets nothing.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { STUB_FAULTS, STUBS, type RunningStub } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { toForm } from "./support/to-form.ts"

interface Sample {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** What it says to whoever has no credentials, and to whoever comes too often. */
  readonly unauthorized?: number
  readonly busy?: number
}

const bearer = { authorization: "Bearer test" }
const prompt = "a fox"

const SAMPLES: Readonly<Record<string, Sample>> = {
  ark: {
    path: "/api/v3/contents/generations/tasks",
    headers: bearer,
    body: { model: "ep-1", content: [{ type: "text", text: prompt }] },
  },
  "black-forest-labs": {
    path: "/v1/flux-2-pro",
    headers: { "x-key": "test" },
    body: { prompt },
    unauthorized: 403,
  },
  "comfy-router": {
    path: "/v2/models/bfl/flux-2-pro/requests",
    headers: { "x-api-key": "test" },
    body: { prompt },
  },
  comfyui: {
    path: "/prompt",
    headers: {},
    body: {
      prompt: {
        "1": { class_type: "SaveImage", inputs: { images: ["8", 0], filename_prefix: "fox" } },
      },
    },
    unauthorized: 200,
  },
  fal: { path: "/owner/app", headers: { authorization: "Key test" }, body: { prompt } },
  gemini: {
    path: "/v1beta/models/gemini-3-pro-image:generateContent",
    headers: { "x-goog-api-key": "test" },
    body: { contents: [{ parts: [{ text: prompt }] }] },
    unauthorized: 403,
  },
  higgsfield: {
    path: "/owner/model",
    headers: { authorization: "Key id:secret" },
    body: { prompt },
    busy: 400,
  },
  kling: { path: "/text-to-video/kling-3.0", headers: bearer, body: { prompt } },
  openai: { path: "/v1/images/generations", headers: bearer, body: { prompt } },
  replicate: {
    path: "/v1/predictions",
    headers: bearer,
    body: { version: "owner/name", input: { prompt } },
  },
  runware: {
    path: "/v1",
    headers: bearer,
    body: [
      {
        taskType: "imageInference",
        taskUUID: "01890a5d-ac96-4774-bcce-b302099a8057",
        model: "bfl:5@1",
        positivePrompt: prompt,
        deliveryMethod: "async",
      },
    ],
  },
  stability: {
    path: "/v2beta/stable-image/generate/core",
    headers: bearer,
    body: toForm({ prompt }),
  },
  xai: { path: "/v1/images/generations", headers: bearer, body: { model: "grok", prompt } },
}

const UNBOUGHT = ["busy", "busy-seconds", "busy-date"]

function create(stub: RunningStub, { path, headers, body }: Sample) {
  return callJson(`${stub.url}${path}`, { headers, body })
}

const README = readFileSync(join(import.meta.dirname, "../../packages/testkit/README.md"), "utf8")

it("every stub has a sample here", () => {
  assert.deepEqual(Object.keys(SAMPLES), Object.keys(STUBS))
})

for (const [name, sample] of Object.entries(SAMPLES)) {
  const start = STUBS[name] as NonNullable<(typeof STUBS)[string]>

  describe(`the stub ${name}`, () => {
    for (const fault of STUB_FAULTS.create.filter((each) => each !== "slow")) {
      it(`${UNBOUGHT.includes(fault) ? "buys nothing" : "has bought"} under the fault ${fault}`, async () => {
        await using stub = await start({ runMs: 0, faults: { create: fault } })
        const answer = await create(stub, sample).catch(() => null)
        const isUnbought = UNBOUGHT.includes(fault)
        assert.equal(stub.purchases.length, isUnbought ? 0 : 1)
        if (isUnbought) assert.equal(answer?.status, sample.busy ?? 429)
        if (fault === "reset") assert.equal(answer, null)
        if (fault === "server-error") assert.equal(answer?.status, 500)
        assert.ok(answer === null || answer.status >= 300 || answer.body === undefined)
      })
    }

    it("buys, and writes down what and when", async () => {
      await using stub = await start({ runMs: 0 })
      const before = Date.now()
      const answer = await create(stub, sample)
      assert.ok(answer.status >= 200 && answer.status < 300, answer.text)
      const [purchase] = stub.purchases
      assert.ok(purchase !== undefined && purchase.id !== "" && purchase.endpoint !== "")
      assert.ok(JSON.stringify(purchase.body).includes("fox") || name === "comfyui")
      assert.ok(purchase.at >= before && purchase.at <= Date.now())
    })

    it("gives nothing to whoever has no credentials, or wrong ones", async () => {
      await using stub = await start({ runMs: 0 })
      const expected = sample.unauthorized ?? 401
      const wrong = Object.entries(sample.headers).map(([header, value]) => {
        return [header, value.replace(/test$|id:secret$/, "invalid")]
      })
      for (const headers of [{}, Object.fromEntries(wrong)]) {
        assert.equal((await create(stub, { ...sample, headers })).status, expected)
      }
      if (expected !== 200) assert.equal(stub.purchases.length, 0)
    })

    it("refuses what is no JSON, and paths that it doesn't have", async () => {
      await using stub = await start({ runMs: 0 })
      const headers = { ...sample.headers, "content-type": "application/json" }
      const cut = await fetch(`${stub.url}${sample.path}`, { method: "POST", headers, body: "{" })
      assert.ok(cut.status >= 400 && cut.status < 500, `${cut.status}`)
      const nowhere = await fetch(`${stub.url}/nowhere`, { headers })
      assert.equal(nowhere.status, 404)
      assert.equal(stub.purchases.length, 0)
    })

    it("has faults of its own, as the README lists them, and knows no others", async () => {
      await using stub = await start()
      const row = README.split("\n").find((line) => line.startsWith(`| \`${name}\` `))
      const cells = row?.split("|") ?? []
      const listed = cells.at(-2)?.match(/(?<=`)[\w-]+(?=`)/g)
      assert.deepEqual(listed, stub.ownFaults)
      assert.equal(new Set(stub.ownFaults).size, stub.ownFaults.length)
      stub.setFaults({ own: stub.ownFaults })
      assert.throws(() => stub.setFaults({ own: ["nonsense"] }), RangeError)
    })
  })
}

it("a stub rejects a port that is taken", async () => {
  await using stub = await STUBS["fal"]!()
  const port = Number(new URL(stub.url).port)
  await assert.rejects(STUBS["fal"]!({ port }), { code: "EADDRINUSE" })
})
