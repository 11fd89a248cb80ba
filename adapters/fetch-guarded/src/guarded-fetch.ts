/**
 * Media by URL, safely: the `MediaSource` of a service that opens URLs which strangers sent. It holds
 * nothing between two downloads, so there is nothing to close. Whoever opens more URLs at once than
 * `connections` has to read or leave the first bodies before the others open.
 */
import type { Media, MediaRequest, MediaSource } from "@safelight/core"
import { createConnectionGate, type ConnectionGate } from "./connection-gate.ts"
import { openDataUrl } from "./data-url.ts"
import { startDeadline } from "./deadline.ts"
import { createDownload, type Answer, type Download } from "./download.ts"
import { toSettings, type GuardedFetchOptions } from "./guarded-fetch-options.ts"
import { keepPace, type Pace } from "./keep-pace.ts"
import { createLookUp } from "./look-up-host.ts"
import { toMediaFault } from "./media-fault.ts"
import { openMedia, type ByteSource } from "./open-media.ts"

/** Throws `invalid-configuration`, naming the option. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): MediaSource {
  const settings = toSettings(options)
  const download = createDownload(settings, options.lookup ?? createLookUp())
  const gate = createConnectionGate(settings.connections)
  const { bodyTimeoutMs: graceMs, leastBytesPerSecond, totalTimeoutMs } = settings
  const pace = { graceMs, leastBytesPerSecond }

  return {
    async open(request) {
      if (!(request.maxBytes >= 0)) throw new RangeError("maxBytes must bound the bytes")
      return request.url.startsWith("data:")
        ? openMedia(openDataUrl(request), request)
        : openDownload(request, { download, gate, pace, totalTimeoutMs })
    },
  }
}

interface DownloadContext {
  readonly download: Download
  readonly gate: ConnectionGate
  readonly pace: Pace
  readonly totalTimeoutMs: number
}

async function openDownload(request: MediaRequest, context: DownloadContext): Promise<Media> {
  const { url, maxBytes } = request
  const deadline = startDeadline(context.totalTimeoutMs, request.signal)
  const { signal } = deadline
  let leave: (() => void) | undefined
  let answer: Answer | undefined

  async function end(): Promise<void> {
    deadline.end()
    await answer?.close()
    leave?.()
    leave = undefined
  }

  // A body that nobody reads notices nothing: its place is given back from here.
  signal.addEventListener("abort", () => void end(), { once: true })
  try {
    leave = await context.gate.enter(signal)
    answer = await context.download({ url, maxBytes, signal })
  } catch (error) {
    await end()
    throw toMediaFault(error, signal)
  }
  const source: ByteSource = {
    chunks: keepPace(answer.chunks, context.pace),
    toFault: (error) => toMediaFault(error, signal),
    throwIfAborted: () => signal.throwIfAborted(),
    end,
  }
  return openMedia(source, request)
}
