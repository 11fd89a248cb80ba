/** An inspector for a test, closed after it, and media that it may inspect. */
import type { TestContext } from "node:test"
import type { InspectedMedia, MediaFacts, MediaInspector, MediaKind } from "@safelight/core"
import { createMediaInspector, type MediaInspectorOptions } from "@safelight/media-inspector"

export interface TestInspector extends MediaInspector {
  /** What `bytes` are. */
  look(bytes: Uint8Array, media?: Partial<InspectedMedia>): Promise<MediaFacts>
}

const ALL: readonly MediaKind[] = ["image", "video", "audio"]

export function createInspector(t: TestContext, options?: MediaInspectorOptions): TestInspector {
  const inspector = createMediaInspector(options)
  t.after(() => inspector.close())
  return { ...inspector, look: (bytes, media) => inspector.inspect(toMedia(bytes, media)) }
}

export function toMedia(bytes: Uint8Array, media: Partial<InspectedMedia> = {}): InspectedMedia {
  return {
    account: "alice",
    bytes: bytes.byteLength,
    kinds: ALL,
    read: async (start, end) => bytes.subarray(start, end),
    signal: new AbortController().signal,
    ...media,
  }
}
