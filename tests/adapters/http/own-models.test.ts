/**
 * Models that aren't core's, where large bodies are read: a thread gets them from a module, checks by
 * those that describe themselves as the service's, and is ended where a pattern never ends.
 */
import { createAccess } from "@safelight/access"
import assert from "node:assert/strict"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { pathToFileURL } from "node:url"
import { serialize } from "node:v8"
import {
  defineModel,
  fields as members,
  findSealedParameters,
  MODELS,
  text as words,
  textToImage,
  type LogFields,
  type Model,
} from "@safelight/core"
import { createHttpHandler, createNodeServer } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import * as v from "valibot"
import * as z from "zod"
import { createFakeService } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"
import { watchThreads, NEVER_MS } from "./thread-watch.ts"

const ID = "acme/one"
const BLANKS = " ".repeat(1024 * 1024)
/** The backtracking of this pattern doubles with each letter. */
const CARELESS = "^(a+)+$"
const ENDLESS = `${"a".repeat(60)}!`

function own(parameters: Model["parameters"] = members({ word: words(0, 100) })): Model {
  return defineModel({
    id: ID,
    artifacts: "image",
    parameters: parameters as v.GenericSchema<unknown, Readonly<Record<string, unknown>>>,
    logged: [],
    estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
  })
}

const PATTERNED = own(members({ word: v.pipe(words(0, 100), v.regex(new RegExp(CARELESS))) }))

/** The module that a thread loads; `word` is the schema of its only parameter. */
function module(word: string): string {
  return `import { defineModel, fields, text } from "@safelight/core"
    import * as v from "valibot"
    export const loadModels = async (ids) => ids.map((id) => defineModel({
      id, artifacts: "image", parameters: fields({ word: ${word} }), logged: [], estimate: () => {},
    }))`
}

async function open(
  t: TestContext,
  { model = own(), text = module("text(0, 100)"), settings = {} },
) {
  // Within the repository, where packages are found.
  const folder = await mkdtemp(join(import.meta.dirname, "own-models-"))
  const path = join(folder, "models.mjs")
  await writeFile(path, text)
  const threads = watchThreads()
  const { service, requests } = createFakeService()
  const { storage, keys } = createFakeStorage()
  const warned: LogFields[] = []
  const log = { info() {}, error() {}, warn: (fields: LogFields) => void warned.push(fields) }
  const handler = createHttpHandler({
    service,
    access: createAccess({ storage, service, clock: createManualClock() }),
    clock: createManualClock(),
    publicUrl: () => "https://media.example/",
    models: [...MODELS, model],
    threadModels: { module: pathToFileURL(path).href, argument: [ID] },
    settings,
  })
  const server = await createNodeServer({
    handler,
    log,
    settings: { bodyThreadRestMs: NEVER_MS, ...settings },
  })
  t.after(async () => {
    threads[Symbol.dispose]()
    await server.close({ graceMs: 0 })
    await rm(folder, { recursive: true })
  })
  const headers = { authorization: `Bearer ${keys.add()}`, "content-type": "application/json" }
  const url = `${server.url}/v1/tasks`
  return {
    model,
    path,
    requests,
    threads,
    warned,
    ask: (parameters: object, { before = "", id = ID } = {}) =>
      fetch(url, {
        method: "POST",
        headers,
        body: before + JSON.stringify({ model: id, parameters }),
      }),
  }
}

describe("a model of a host's own", () => {
  it("is checked in a thread where the body is large", async (t) => {
    const { ask, model, requests, threads, warned } = await open(t, {})
    assert.notEqual((await ask({ word: "a" })).status, 500)
    assert.equal(threads.started.length, 0)
    await ask({ word: "b" }, { before: BLANKS })
    assert.equal(threads.started.length, 1)
    const [small, large] = requests
    assert.equal(findSealedParameters(small ?? {}, model), undefined)
    assert.equal(findSealedParameters(large ?? {}, model)?.body, '{"word":"b"}')
    assert.equal(findSealedParameters(large ?? {}, { ...model }), undefined)
    const refused = await ask({ word: 1 }, { before: BLANKS })
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /"param":"parameters\.word"/)
    assert.equal(requests.length, 2)
    await ask({ prompt: "fog" }, { before: BLANKS, id: textToImage.id })
    assert.ok(findSealedParameters(requests[2] ?? {}, textToImage) !== undefined)
    assert.deepEqual(warned, [])
  })

  it("is told to a thread once, and not with each body", async (t) => {
    const { ask, model, requests, threads } = await open(t, {})
    await ask({ word: "a" }, { before: BLANKS })
    const [thread = assert.fail()] = threads.started
    const told: Buffer[] = []
    const post = thread.postMessage.bind(thread)
    t.mock.method(thread, "postMessage", (...[job, transfer]: Parameters<typeof post>) => {
      told.push(serialize(job))
      post(job, transfer)
    })
    await ask({ word: "b" }, { before: BLANKS })
    assert.equal(threads.started.length, 1)
    assert.equal(told.length, 1)
    assert.equal(told[0]?.includes("maxLength"), false)
    assert.equal(findSealedParameters(requests[1] ?? {}, model)?.body, '{"word":"b"}')
  })

  const lacks: readonly (readonly [string, string, RegExp])[] = [
    ["was changed", module("text(0, 101)"), /^it was changed since the service started$/],
    ["is gone", "export const loadModels = async () => []", /^its module no longer has it$/],
    ["can't be loaded", "throw new Error('no licence')", /no licence/],
  ]
  for (const [state, text, lack] of lacks) {
    it(`is left to the service, with a warning, where its file ${state}`, async (t) => {
      const { ask, model, requests, warned } = await open(t, { text })
      await ask({ word: "b" }, { before: BLANKS })
      assert.deepEqual(requests[0]?.parameters, { word: "b" })
      assert.equal(findSealedParameters(requests[0] ?? {}, model), undefined)
      assert.equal(warned.length, 1)
      assert.equal(warned[0]?.["model"], ID)
      assert.match(String(warned[0]?.["reason"]), lack)
    })
  }

  it("with a pattern is checked in a thread whatever the size, which is ended where it takes too long", async (t) => {
    const text = module(`v.pipe(text(0, 100), v.regex(/${CARELESS}/))`)
    const settings = { bodyThreadMs: 1_000, bodyThreads: 1 }
    const { ask, model, requests, threads } = await open(t, { model: PATTERNED, text, settings })
    // A thread that is slow to start takes its time from the first body that waits for it.
    async function askGood() {
      let good = await ask({ word: "aaa" })
      while (good.status === 503) good = await ask({ word: "aaa" })
      assert.ok(good.status < 500)
      assert.equal(findSealedParameters(requests.at(-1) ?? {}, model)?.body, '{"word":"aaa"}')
    }
    await askGood()
    const started = threads.started.length
    const endless = ask({ word: ENDLESS })
    // Others are answered meanwhile.
    assert.notEqual((await ask({ prompt: "fog" }, { id: textToImage.id })).status, 500)
    const refused = await endless
    assert.equal(refused.status, 503)
    await askGood()
    assert.ok(threads.started.length > started)
  })

  it("of another library is checked in a thread whatever the size, and told as it describes itself", async (t) => {
    const model = defineModel({
      id: ID,
      artifacts: "image",
      parameters: z.object({ word: z.string().max(100) }),
      logged: [],
      estimate: () => ({ images: 1, inputVideosMs: [], outputVideoMs: 0 }),
    })
    // Which of the texts never ends is known to the program alone.
    const text = module(`z.string().max(100).refine((word) => {
      while (word === "endless");
      if (word === "late") void Promise.reject(new Error(word));
      return word !== "wrong";
    })`)
      .replace("fields(", "z.object(")
      .replace("import * as v", 'import * as z from "zod"\n    import * as v')
    const settings = { bodyThreadMs: 1_000, bodyThreads: 1 }
    const { ask, requests, threads, warned } = await open(t, { model, text, settings })
    async function askPatiently(word: string): Promise<Response> {
      let answer = await ask({ word })
      while (answer.status === 503) answer = await ask({ word })
      return answer
    }
    assert.ok((await askPatiently("aaa")).status < 500)
    assert.equal(findSealedParameters(requests.at(-1) ?? {}, model)?.body, '{"word":"aaa"}')
    assert.equal((await ask({ word: "endless" })).status, 503)
    const refused = await askPatiently("wrong")
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /"code":"invalid_value","param":"parameters\.word"/)
    // What the program does after its answer ends no thread, and is told to nobody.
    const started = threads.started.length
    assert.ok((await ask({ word: "late" })).status < 500)
    assert.ok((await ask({ word: "aaa" })).status < 500)
    assert.equal(threads.started.length, started)
    assert.deepEqual(warned, [])
  })

  it("with a part that no document can tell refuses the start", () => {
    const { service } = createFakeService()
    const { storage } = createFakeStorage()
    const clock = createManualClock()
    const made = {
      service,
      access: createAccess({ storage, service, clock }),
      clock,
      publicUrl: () => "https://media.example/",
      models: [own(members({ day: v.date() }))],
      threadModels: { module: "data:text/javascript,", argument: [] },
    }
    assert.throws(() => createHttpHandler(made), {
      code: "invalid-configuration",
      message: /^model acme\/one: parameters\.day can't be described in the API document: /,
    })
  })
})
