/**
 * Media by URL, safely: the `MediaSource` of a service that opens URLs which strangers sent. It holds
 * nothing between two downloads, so there is nothing to close. Whoever opens more URLs at once than
 * `connections` has to read or leave the first bodies before the others open.
 */
import { lookup as lookUp } from "node:dns/promises"
import type { Media, MediaRequest, MediaSource } from "@safelight/core"
import { createConnectionGate, type ConnectionGate } from "./connection-gate.ts"
import { openDataUrl } from "./data-url.ts"
import { startDeadline } from "./deadline.ts"
import { createDownload, type Answer, type Download } from "./download.ts"
import { toSettings, type GuardedFetchOptions } from "./guarded-fetch-options.ts"
import { toMediaFault } from "./media-fault.ts"
import { openMedia, type ByteSource } from "./open-media.ts"

/** Throws `invalid-configuration`, naming the option. */
export function createGuardedFetch(options: GuardedFetchOptions = {}): MediaSource {
  const settings = toSettings(options)
  const download = createDownload(settings, options.lookup ?? lookUpBySystem)
  const gate = createConnectionGate(settings.connections)
  const { totalTimeoutMs } = settings

  return {
    async open(request) {
      if (!(request.maxBytes >= 0)) throw new RangeError("maxBytes must bound the bytes")
      return request.url.startsWith("data:")
        ? openMedia(openDataUrl(request), request)
        : openDownload(request, { download, gate, totalTimeoutMs })
    },
  }
}

interface DownloadContext {
  readonly download: Download
  readonly gate: ConnectionGate
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
    chunks: answer.chunks,
    toFault: (error) => toMediaFault(error, signal),
    throwIfAborted: () => signal.throwIfAborted(),
    end,
  }
  return openMedia(source, request)
}

/** The system's resolver, hosts file and all: whatever it answers, the address rule judges. */
async function lookUpBySystem(hostname: string): Promise<readonly string[]> {
  const found = await lookUp(hostname, { all: true })
  return found.map(({ address }) => address)
}
