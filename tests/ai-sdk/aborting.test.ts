/** A call that is aborted while its submission is under way: what was sent is cancelled, and nothing more is sent. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createSafelight } from "@safelight/ai-sdk"
import { createClient, type FetchLike } from "@safelight/client"
import { generateImage } from "ai"
import { createInProcessService, type InProcessService } from "../service/in-process-service.ts"
import { muteWarnings } from "./mute-warnings.ts"

const PICTURE = "vendor-a/v4.1/flash/text-to-image"
const REASON = new Error("enough")

muteWarnings()

describe("a call that is aborted during its submission", () => {
  const resources = new AsyncDisposableStack()
  let service: InProcessService

  // Its engine does not run: a task stays as it is until it is cancelled.
  before(async () => {
    service = resources.use(await createInProcessService())
  })

  after(() => resources.disposeAsync())

  /** `answer` is what becomes of a submission. Resolves to how many were sent. */
  async function makeAborted(
    answer: (send: () => Promise<Response>, abort: () => void) => Promise<Response>,
  ): Promise<number> {
    const aborting = new AbortController()
    let sent = 0
    const fetch: FetchLike = async (url, init) => {
      if (!url.endsWith("/v1/tasks")) return globalThis.fetch(url, init)
      sent += 1
      return answer(
        () => globalThis.fetch(url, init),
        () => aborting.abort(REASON),
      )
    }
    const provider = createSafelight({ baseURL: service.url, apiKey: service.keys.whole, fetch })
    const making = generateImage({
      model: provider.image(PICTURE),
      prompt: "first light",
      abortSignal: aborting.signal,
    })
    await assert.rejects(making, REASON)
    return sent
  }

  it("is waited for, and its task is cancelled", async () => {
    const sent = await makeAborted(async (send, abort) => {
      abort()
      return send()
    })
    assert.equal(sent, 1)
    const client = createClient({ url: service.url, key: service.keys.whole })
    const { tasks } = await client.listPage({})
    assert.deepEqual(
      tasks.map(({ error }) => error?.code),
      ["task_cancelled"],
    )
  })

  it("is not repeated", async () => {
    const stored = service.countStored().tasks
    const sent = await makeAborted(async (_send, abort) => {
      abort()
      const error = { message: "later", type: "rate_limit_error", code: "rate_limit_exceeded" }
      const headers = { "retry-after": "0" }
      return Response.json({ error }, { status: 429, headers })
    })
    assert.equal(sent, 1)
    assert.equal(service.countStored().tasks, stored)
  })
})
