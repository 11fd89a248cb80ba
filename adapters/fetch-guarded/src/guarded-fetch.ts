/**
 * Media by URL, safely: the `MediaSource` of a service that opens untrusted URLs. It holds nothing between
 * two downloads, so there is nothing to close. A caller that opens more URLs at once than `connections` has to
 * read or leave the first bodies before the others open.
 */
import {
  createSemaphore,
  isDataUrl,
  type Media,
  type MediaRequest,
  type MediaSource,
  type Semaphore,
} from "@safelight/core"
import { openDataUrl } from "./data-url.ts"
import { startDeadline } from "./deadline.ts"
import { createDownload, type Download } from "./download.ts"
import { toSettings, type GuardedFetchOptions } from "./guarded-fetch-options.ts"
import { keepPace, type Pace } from "./keep-pace.ts"
import { calledOff, downloadFailed, toMediaFault } from "./media-fault.ts"
import { openMedia, type ByteSource } from "./open-media.ts"
import { resumeBody } from "./resume-body.ts"
import type { Answer } from "./send-request.ts"

/** Throws `invalid-configuration`, naming the option. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): MediaSource {
  const settings = toSettings(options)
  const download = createDownload(settings, options.lookup)
  // A permit is held until the body ends, however long its reader takes.
  const connections = createSemaphore({ permits: settings.connections, name: "downloads" })
  const { bodyTimeoutMs: graceMs, leastBytesPerSecond, totalTimeoutMs } = settings
  const pace = { graceMs, leastBytesPerSecond }

  return {
    async open(request) {
      const { maxBytes, resumes = 0 } = request
      if (!(maxBytes >= 0)) throw new RangeError("maxBytes must bound the bytes")
      if (!(resumes >= 0)) throw new RangeError("resumes must be a number of times")
      return isDataUrl(request.url)
        ? openMedia(openDataUrl(request), request)
        : openDownload(request, { download, connections, pace, totalTimeoutMs })
    },
  }
}

interface DownloadContext {
  readonly download: Download
  readonly connections: Semaphore
  readonly pace: Pace
  readonly totalTimeoutMs: number
}

async function openDownload(request: MediaRequest, context: DownloadContext): Promise<Media> {
  const { download, connections, pace, totalTimeoutMs } = context
  const deadline = startDeadline({
    timeoutMs: totalTimeoutMs,
    caller: request.signal,
    toLate: () => downloadFailed("it took too long", true),
    toCalledOff: calledOff,
  })
  const { signal } = deadline
  const toFault = (error: unknown): unknown => toMediaFault(error, signal)
  let leave: (() => void) | undefined
  let body: Pick<Answer, "chunks" | "close"> | undefined
  let bytes: number | undefined

  async function end(): Promise<void> {
    deadline.end()
    await body?.close()
    leave?.()
    leave = undefined
  }

  // A body that is never read does not notice the abort, so its permit is released here.
  signal.addEventListener("abort", () => void end(), { once: true })
  try {
    leave = await connections.acquire({ signal })
    signal.throwIfAborted()
    const answer = await download({ ...request, signal })
    bytes = findLength(answer)
    body = resumeBody(answer, {
      resumes: request.resumes ?? 0,
      askRest: (rest) => download({ ...request, signal, rest }),
      toFault,
    })
  } catch (error) {
    await end()
    throw toFault(error)
  }
  const source: ByteSource = {
    bytes,
    chunks: keepPace(body.chunks, pace),
    toFault,
    throwIfAborted: () => signal.throwIfAborted(),
    end,
  }
  return openMedia(source, request)
}

/** The length that the server declares; the parser rejects a body of any other. */
function findLength({ headers }: Answer): number | undefined {
  const declared = headers["content-length"]
  return typeof declared === "string" && /^\d{1,15}$/.test(declared) ? Number(declared) : undefined
}
