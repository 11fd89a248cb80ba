/**
 * What the SDK's retries and lost answers buy: purchases are counted at the service, behind a proxy that loses
 * answers after the service has done what it was asked.
 */
import assert from "node:assert/strict"
import { after, before, beforeEach, describe, it } from "node:test"
import { createSafelight, type MadeFile, type SafelightOptions } from "@safelight/ai-sdk"
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  generateImage,
  type Experimental_GeneratedImage as GeneratedFile,
} from "ai"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import {
  startLyingProxy,
  type LyingProxy,
  type ProxiedAnswer,
  type ProxiedRequest,
  type Spoil,
} from "../support/lying-proxy.ts"
import { muteWarnings } from "./mute-warnings.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const FILM = "vendor-c/video-2.5/reference-to-video"
/** The client gives up soon, so that the SDK's own retries begin. */
const SETTINGS = { tries: 2, pollTries: 2, firstPauseMs: 1, longestPauseMs: 1 }

const lost: Spoil = () => "reset"
/** The service's own words, with a pause that takes no time. */
function refuse(status: number, type: string, code: string): ProxiedAnswer {
  const headers = { "content-type": "application/json", "retry-after": "0" }
  const body = Buffer.from(JSON.stringify({ error: { message: "not now", type, code } }))
  return { status, headers, body }
}
/** Leaves open what became of the request. */
const unsure: Spoil = () => refuse(503, "api_error", "outcome_unknown")

const isSubmission = ({ method, path }: ProxiedRequest): boolean =>
  method === "POST" && path === "/v1/tasks"
const isDownload = ({ path }: ProxiedRequest): boolean => path.endsWith("/content")
const isAsked = ({ method, path }: ProxiedRequest): boolean =>
  method === "GET" && /^\/v1\/tasks\/[^/]+\/artifacts$/.test(path)

muteWarnings()

describe("a call of the SDK buys once", () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService
  let proxy: LyingProxy
  let provider: ReturnType<typeof createSafelight>
  let stored = 0
  let seen = 0

  before(async () => {
    service = resources.use(await createInProcessService())
    service.engine.start()
    proxy = resources.use(await startLyingProxy(service.url))
    const apiKey = service.keys.whole
    provider = createSafelight({ baseURL: proxy.url, apiKey, settings: SETTINGS })
  })

  beforeEach(() => {
    proxy.lie()
    stored = service.countStored().tasks
    seen = proxy.requests.length
  })

  after(() => resources.disposeAsync())

  const countBought = (): number => service.countStored().tasks - stored
  const countSubmissions = (): number => proxy.requests.slice(seen).filter(isSubmission).length

  /** Spoils the first `count` answers of what `isMeant` means. */
  function spoil(isMeant: (request: ProxiedRequest) => boolean, count: number, how: Spoil): void {
    let left = count
    proxy.lie(
      (request) => left > 0 && isMeant(request),
      (answer) => {
        left -= 1
        return how(answer)
      },
    )
  }

  const make = (options: SafelightOptions = {}, more: object = {}) =>
    generateImage({
      model: provider.image(PICTURE),
      prompt: "first light",
      providerOptions: { safelight: options },
      ...more,
    })

  const failed = async (making: Promise<unknown>): Promise<APICallError> => {
    const error = await making.then(
      () => assert.fail("it was made"),
      (thrown: unknown) => thrown,
    )
    assert.ok(APICallError.isInstance(error), String(error))
    return error
  }

  it("where the first answer to a submission is lost", async () => {
    spoil(isSubmission, 1, lost)
    const { image } = await make()
    assert.equal(image.uint8Array.length, 1_024)
    assert.equal(countBought(), 1)
  })

  it("and is not retried where every answer is lost, but joined by the key that the error names", async () => {
    proxy.lie(isSubmission, lost)
    const error = await failed(make({}, { maxRetries: 2 }))
    assert.equal(error.isRetryable, false)
    assert.match(error.message, /a task may exist/)
    assert.equal(countSubmissions(), SETTINGS.tries)
    assert.equal(countBought(), 1)
    proxy.lie()
    const { idempotencyKey } = error.data as { idempotencyKey: string }
    await make({ idempotencyKey })
    assert.equal(countBought(), 1)
  })

  it("with a key of the caller's, where the SDK retries after lost answers", async () => {
    spoil(isSubmission, SETTINGS.tries, unsure)
    const { image } = await make({ idempotencyKey: `order-${stored}` })
    assert.equal(image.uint8Array.length, 1_024)
    assert.equal(countSubmissions(), SETTINGS.tries + 1)
    assert.equal(countBought(), 1)
  })

  it("where the picture is made and can't be fetched: the error names its task", async () => {
    proxy.lie(isAsked, lost)
    const error = await failed(make())
    assert.equal(error.isRetryable, false)
    const { taskIds, idempotencyKey } = error.data as {
      taskIds: readonly string[]
      idempotencyKey: string
    }
    assert.match(error.message, new RegExp(taskIds[0] ?? "none"))
    proxy.lie()
    const { image } = await make({ idempotencyKey })
    assert.deepEqual([toTask(image)], taskIds)
    assert.equal(countBought(), 1)
  })

  it("where a download breaks off once", async () => {
    spoil(isDownload, 1, lost)
    await make()
    assert.equal(countBought(), 1)
  })

  it("where the SDK retries what was refused before there was a task", async () => {
    const url = service.url
    let refused = 0
    const fetchLater: typeof fetch = async (address, init) => {
      if (init?.method !== "POST" || refused > SETTINGS.tries) return fetch(address, init)
      refused += 1
      const { body, ...answer } = refuse(429, "rate_limit_error", "rate_limit_exceeded")
      return new Response(Uint8Array.from(body), answer)
    }
    const settings = { apiKey: service.keys.whole, settings: SETTINGS, fetch: fetchLater }
    const model = createSafelight({ baseURL: url, ...settings }).image(PICTURE)
    const { image } = await generateImage({ model, prompt: "first light" })
    assert.equal(image.uint8Array.length, 1_024)
    assert.equal(refused, SETTINGS.tries + 1)
    assert.equal(countBought(), 1)
  })

  it("for each of several tasks of one call, and joins all of them by one key", async () => {
    const picture = Buffer.from(PNG, "base64")
    const edit = (idempotencyKey: string) =>
      generateImage({
        model: provider.image(EDIT),
        prompt: { text: "in snow", images: [picture] },
        n: 6,
        providerOptions: { safelight: { idempotencyKey } },
      })
    spoil(isSubmission, 2, lost)
    const first = await edit(`edit-${stored}`)
    const again = await edit(`edit-${stored}`)
    const toTasks = ({ images }: typeof first) => images.map(toTask)
    assert.deepEqual(toTasks(again), toTasks(first))
    assert.equal(countBought(), 2)
  })

  it("where the SDK starts a film, and its answer is lost again and again", async () => {
    spoil(isSubmission, SETTINGS.tries, unsure)
    const starting = generateVideo({
      model: provider.video(FILM),
      prompt: "waves",
      poll: { intervalMs: 1, delay: () => Promise.resolve() },
    })
    // What the instant channel makes is no film: the task fails, and its purchase is what counts here.
    await assert.rejects(starting)
    assert.equal(countSubmissions(), SETTINGS.tries + 1)
    assert.equal(countBought(), 1)
  })
})

function toTask({ providerMetadata }: GeneratedFile): string | undefined {
  const made = providerMetadata?.["safelight"] as MadeFile | undefined
  return made?.task.id
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
