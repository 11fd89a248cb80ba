/** What goes wrong, in the AI SDK's own classes: the SDK and its users decide by these. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import type { JSONObject } from "@ai-sdk/provider"
import { createSafelight, type SafelightProvider } from "@safelight/ai-sdk"
import { APICallError, experimental_generateVideo as generateVideo, generateImage } from "ai"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import { muteWarnings } from "./mute-warnings.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const FILM = "vendor-c/video-2.5/reference-to-video"

muteWarnings()

describe("the provider names what is wrong", () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let safelight: SafelightProvider

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    safelight = createSafelight({ baseURL: service.url, apiKey: service.keys.whole })
  })

  after(() => resources.disposeAsync())

  const make = (modelId: string, options: JSONObject = {}) =>
    generateImage({
      model: safelight.image(modelId),
      prompt: "first light",
      providerOptions: { safelight: options },
    })

  it("in its settings, without their values", () => {
    const apiKey = "sk"
    assert.throws(() => createSafelight({ baseURL: "media", apiKey }), {
      name: "AI_InvalidArgumentError",
      argument: "baseURL",
    })
    assert.throws(() => createSafelight({ baseURL: "https://a.example", apiKey: "a b" }), {
      name: "AI_InvalidArgumentError",
      message: "apiKey: expected an API key",
    })
    const settings = { tries: 0 }
    assert.throws(() => createSafelight({ baseURL: "https://a.example", apiKey, settings }), {
      argument: "settings.tries",
    })
  })

  it("in its options: an unknown one is no limit of cost", async () => {
    const wrong: readonly (readonly [JSONObject, string])[] = [
      [{ maxCost: 1 }, "maxCost"],
      [{ maxCostMicros: "1" }, "maxCostMicros"],
      [{ maxCostMicros: -1 }, "maxCostMicros"],
      [{ quote: "a b" }, "quote"],
      [{ labels: { a: 1 } }, "labels"],
      [{ labels: { ä: "b" } }, "labels"],
      [{ parameters: [] }, "parameters"],
      [{ idempotencyKey: "" }, "idempotencyKey"],
      [{ toString: "x" }, "toString"],
    ]
    for (const [options, name] of wrong) {
      const argument = `providerOptions.safelight.${name}`
      await assert.rejects(make(PICTURE, options), { name: "AI_InvalidArgumentError", argument })
    }
  })

  it("in a key among the call's headers, before the first of several tasks is bought", async () => {
    const { tasks } = service.countStored()
    for (const key of ["", "k".repeat(254), "schlüssel"]) {
      const making = generateImage({
        model: safelight.image(PICTURE),
        prompt: "first light",
        n: 9,
        headers: { "Idempotency-Key": key },
      })
      const argument = "headers.idempotency-key"
      await assert.rejects(making, { name: "AI_InvalidArgumentError", argument }, key)
    }
    assert.equal(service.countStored().tasks, tasks)
  })

  it("as no such model, also if it makes something else", async () => {
    const none = { name: "AI_NoSuchModelError", modelType: "imageModel" }
    await assert.rejects(make("nobody/nothing"), { ...none, modelId: "nobody/nothing" })
    await assert.rejects(make(FILM), { ...none, message: `${FILM} makes video, and no image` })
    await assert.rejects(generateVideo({ model: safelight.video(PICTURE), prompt: "" }), {
      name: "AI_NoSuchModelError",
      modelType: "videoModel",
    })
    assert.throws(() => safelight.languageModel(PICTURE), { modelType: "languageModel" })
    assert.throws(() => safelight.embeddingModel(PICTURE), { modelType: "embeddingModel" })
  })

  it("as the service refuses it, before anything is bought", async () => {
    const { tasks } = service.countStored()
    const parameters = { size: "huge", colour: 1 }
    const error = await make(PICTURE, { parameters }).then(
      () => assert.fail("it was made"),
      (thrown: unknown) => thrown,
    )
    assert.ok(APICallError.isInstance(error))
    assert.deepEqual([error.statusCode, error.isRetryable], [400, false])
    assert.equal(error.url, `${service.url}/v1/tasks`)
    assert.deepEqual(error.requestBodyValues, {
      model: PICTURE,
      parameters: { prompt: "first light", ...parameters },
    })
    assert.match(error.responseHeaders?.["x-request-id"] ?? "", /^req_/)
    const { error: refusal } = JSON.parse(error.responseBody ?? "") as {
      error: { details: { param: string }[] }
    }
    assert.deepEqual(refusal.details.map(({ param }) => param).toSorted(), [
      "parameters.colour",
      "parameters.size",
    ])
    await assert.rejects(make(PICTURE, { maxCostMicros: 0 }), { statusCode: 402 })
    assert.equal(service.countStored().tasks, tasks)
  })

  it("as a key that may not, and never with the key", async () => {
    const model = createSafelight({ baseURL: service.url, apiKey: service.keys.revoked }).image("a")
    const error = await generateImage({ model, prompt: "" }).catch((thrown: unknown) => thrown)
    assert.ok(APICallError.isInstance(error))
    assert.equal(error.statusCode, 401)
    assert.ok(!JSON.stringify([error, error.message]).includes(service.keys.revoked))
  })

  it("as the task that failed, which no retry buys again", async () => {
    // What this channel makes is no film.
    const { tasks } = service.countStored()
    const making = generateVideo({ model: safelight.video(FILM), prompt: "waves" })
    const error = await making.catch((thrown: unknown) => thrown)
    assert.ok(APICallError.isInstance(error), String(error))
    const { error: failure, taskIds } = error.data as { error: { code: string }; taskIds: string[] }
    assert.deepEqual([error.isRetryable, taskIds.length], [false, 1])
    assert.equal(failure.code, "internal_error")
    assert.equal(service.countStored().tasks, tasks + 1)
  })
})
