/** A channel of a ComfyUI server, pointed at the stub, with the workflows of its README. */
import assert from "node:assert/strict"
import { fileURLToPath } from "node:url"
import type { TestContext } from "node:test"
import { createComfyUiChannel, type ComfyUiOptions } from "@safelight/channel-comfyui"
import {
  imageEdit,
  MODELS,
  referenceToVideo,
  textToImage,
  type Channel,
  type ChannelRequest,
  type Json,
  type PollOutcome,
} from "@safelight/core"
import { createSampleInputs } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"

const FOLDER = new URL("../../../adapters/channel-comfyui/workflows/", import.meta.url)
const toPath = (name: string): string => fileURLToPath(new URL(name, FOLDER))

export const WORKFLOWS = {
  [textToImage.id]: toPath("text-to-image.json"),
  [imageEdit.id]: toPath("edit.json"),
  [referenceToVideo.id]: toPath("video.json"),
}

export const PICTURE = "data:image/png;base64,iVBORw0KGgo="

/** By model, what those workflows take. */
export const PARAMETERS = {
  [textToImage.id]: { prompt: "a lighthouse at dusk", size: "square" },
  [imageEdit.id]: { prompt: "in fog", image_urls: [PICTURE], output_format: "png" },
  [referenceToVideo.id]: { prompt: "waves at night", duration: 4 },
}

export interface ComfyWorld {
  readonly stub: RunningStub
  readonly channel: Channel
  /** The same channel of another process. */
  open(options?: Partial<ComfyUiOptions>): Promise<Channel>
  /** With an upstream key of its own. */
  toRequest(model?: string, parameters?: object): ChannelRequest
  /** The handle of a prompt that was just sent. */
  submit(request: ChannelRequest): Promise<{ readonly promptId: string }>
  poll(request: ChannelRequest, operation: object, channel?: Channel): Promise<PollOutcome>
  /** Polls until it is over. */
  follow(request: ChannelRequest, operation: object): Promise<PollOutcome>
}

/** Longer than any test takes, but for what is slow on purpose. */
const TIMEOUT_MS = 10_000

export async function createComfyWorld(
  t: TestContext,
  options: StubOptions = {},
): Promise<ComfyWorld> {
  const places = new AsyncDisposableStack()
  t.after(() => places.disposeAsync())
  const stub = places.use((await STUBS["comfyui"]?.({ runMs: 0, ...options })) ?? assert.fail())

  async function open(more: Partial<ComfyUiOptions> = {}): Promise<Channel> {
    const shared = { workflows: WORKFLOWS, baseUrl: stub.url }
    const channel = await createComfyUiChannel({ ...shared, ...more })
    places.defer(async () => channel.close?.())
    return channel
  }

  const channel = await open()
  let keys = 0
  const world: ComfyWorld = {
    stub,
    channel,
    open,
    toRequest(model = textToImage.id, parameters = {}) {
      const known = PARAMETERS[model as keyof typeof PARAMETERS]
      const check = MODELS.find(({ id }) => id === model)?.check({ ...known, ...parameters })
      assert.ok(check?.kind === "valid", JSON.stringify(check))
      keys += 1
      const own = { task: "task", account: "account", upstreamKey: `task-${keys}.1` }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      const inputs = createSampleInputs()
      return { ...own, model, parameters: check.parameters, inputs, signal }
    },
    async submit(request) {
      const outcome = await channel.submit(request)
      assert.ok(outcome.kind === "accepted", JSON.stringify(outcome))
      return outcome.operation as { readonly promptId: string }
    },
    poll: (request, operation, by = channel) =>
      by.poll({ ...request, operation: operation as Json, progress: 0 }),
    async follow(request, operation) {
      for (;;) {
        const outcome = await world.poll(request, operation)
        if (outcome.kind !== "running") return outcome
      }
    },
  }
  return world
}
