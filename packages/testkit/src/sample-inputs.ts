/**
 * The inputs of a task for tests of channels: what an engine hands them, without a guard and without a
 * network. Data URLs are opened, and linked if a test says to which address; other URLs are linked as they are
 * and can't be opened.
 */
import { SafelightError, type MediaKind, type TaskInputs } from "@safelight/core"

export interface SampleInputsOptions {
  /** Where what a data URL holds can be fetched; nowhere by default. */
  readonly toLink?: (url: string) => string | undefined
}

export function createSampleInputs({ toLink }: SampleInputsOptions = {}): TaskInputs {
  return {
    link: async (url) => (url.startsWith("data:") ? toLink?.(url) : url),
    async open({ url }) {
      const [, mimeType = "", base64 = ""] = /^data:([^;,]+);base64,(.*)$/.exec(url) ?? []
      if (mimeType === "") {
        const message = "samples hold no media of other hosts"
        throw new SafelightError({ code: "media_download_failed", message })
      }
      const content = Buffer.from(base64, "base64")
      const kind = mimeType.slice(0, mimeType.indexOf("/")) as MediaKind
      return { kind, mimeType, bytes: content.byteLength, body: once(content) }
    },
  }
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
