/**
 * How a node fetches reference videos and measures films: the upstream serves both, in a format of its own
 * whose first line says how long a film is, so that a round needs no player.
 */
import { get, type IncomingMessage } from "node:http"
import { once } from "node:events"
import { SafelightError, type MediaInspector, type MediaSource } from "@safelight/core"
import { readFilmMs } from "./products.ts"

const HEAD_BYTES = 64

export function createUpstreamMedia(): MediaSource {
  return {
    async open({ url }) {
      try {
        const asked = get(url, { agent: false, timeout: 2_000 })
        asked.once("timeout", () => asked.destroy(new Error("too slow")))
        const [response] = (await once(asked, "response")) as [IncomingMessage]
        return { mimeType: "video/mp4", kind: "video", body: readBody(response) }
      } catch (cause) {
        throw unavailable(cause)
      }
    },
  }
}

async function* readBody(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk as Uint8Array
  } catch (cause) {
    throw unavailable(cause)
  }
}

function unavailable(cause: unknown): SafelightError {
  const message = "the upstream did not serve the video"
  return new SafelightError({ code: "media_download_failed", message, retryable: true, cause })
}

export function createFilmInspector(): MediaInspector {
  return {
    async inspect({ bytes, read }) {
      const durationMs = readFilmMs(await read(0, Math.min(bytes, HEAD_BYTES)))
      if (durationMs !== undefined) return { kind: "video", mimeType: "video/mp4", durationMs }
      throw new SafelightError({ code: "media_unreadable", message: "it is no film" })
    },
    async close() {},
  }
}
