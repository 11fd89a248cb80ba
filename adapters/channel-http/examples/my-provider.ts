/** A provider of one's own, as the guide in the README has it: the queue of fal, for which there is a stub. */
import {
  acceptsUnless,
  at,
  findUrls,
  readTurnedAway,
  textAt,
  toCompleted,
  toRefused,
  type Provider,
} from "@safelight/channel-http"

const APP = "/recraft/v4.1"
const WORDS = ["detail", 0, "msg"] as const

export default {
  name: "my-provider",
  baseUrl: "https://queue.fal.run",
  keyVariable: "FAL_KEY",
  authorize: (key) => ({ authorization: `Key ${key}` }),
  outputHosts: ["*.fal.media"],
  submission: { kind: "unkeyed" },
  concurrency: 2,
  submitTimeoutMs: 30_000,
  models: {
    "vendor-a/v4.1/flash/text-to-image": {
      // A request that can't be expressed exactly is not taken: another channel is asked.
      accepts: ({ background_color: background }) =>
        acceptsUnless({
          background_color: background !== undefined && "no background colour is offered",
        }),
      toRequest: ({ colors, enable_safety_checker, prompt, size }) => ({
        method: "POST",
        path: `${APP}/flash/text-to-image`,
        json: { prompt, image_size: size, colors, enable_safety_checker },
      }),
    },
  },
  readCreate(reply) {
    const id = textAt(reply.json, "request_id")
    if (reply.status === 200 && id !== undefined) return { kind: "accepted", operation: id }
    if (reply.status === 422) return toRefused("provider_rejected", textAt(reply.json, ...WORDS))
    return readTurnedAway(reply)
  },
  async poll(operation, send) {
    if (typeof operation !== "string") return undefined
    const path = `${APP}/requests/${operation}`
    const { json } = await send({ method: "GET", path: `${path}/status` })
    const status = textAt(json, "status")
    if (status === "IN_QUEUE" || status === "IN_PROGRESS") {
      return { kind: "running", pollAfterMs: 2_000 }
    }
    const result = await send({ method: "GET", path })
    if (result.status === 422) return toRefused("provider_rejected", textAt(result.json, ...WORDS))
    if (result.status !== 200) return undefined
    return toCompleted(findUrls(at(result.json, "images")))
  },
} satisfies Provider
