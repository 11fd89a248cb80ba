/**
 * Serves an input to a holder of its signed URL: media that the request holds inline, and the copy of a video that
 * was measured. Any other input is at an address of the caller's, and is never fetched through this service.
 */
import {
  DATA_URL_TYPES,
  isDataUrl,
  isSafelightError,
  listMediaInputs,
  parseDataUrl,
  type ArtifactStorage,
  type InputContent,
  type InputService,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { readMeasured, type VideoCopy } from "../record/measured-input.ts"
import { readParameters } from "../record/request-input.ts"

export function createInputService(ports: Ports): InputService {
  const { artifacts, clock, inputLinks, storage, taskModels } = ports
  return {
    async verifyInput(token) {
      const claim = await inputLinks.verify(token)
      return claim !== undefined && clock.now() >= claim.expiresAt ? "gone" : claim
    },
    async readInput({ position, task }) {
      const head = await storage.readTask(task)
      const model = head && (await taskModels.find(head.task))
      if (model === undefined) return undefined
      const parameters = await readParameters(storage, task)
      if (parameters === undefined) return "gone"
      const asked = listMediaInputs(model, parameters)
      const input = asked[position]
      if (input === undefined) return undefined
      if (isDataUrl(input.url)) return toContent(input.url)
      if (input.kind !== "video") return undefined
      const index = asked.slice(0, position).filter(({ kind }) => kind === "video").length
      const copy = (await readMeasured(storage, task))?.[index]?.copy
      return copy ? toOpened(artifacts, copy) : undefined
    },
  }
}

const TYPES: ReadonlySet<string> = new Set(Object.values(DATA_URL_TYPES).flat())

/** Undefined if the input is no data URL. Its form was checked when the task was submitted. */
function toContent(url: string): InputContent | undefined {
  const { mimeType = "", start } = parseDataUrl(url) ?? {}
  if (!TYPES.has(mimeType)) return undefined
  return { mimeType, content: Buffer.from(url.slice(start), "base64") }
}

function toOpened(
  artifacts: Pick<ArtifactStorage, "open">,
  { bytes, locator, mimeType }: VideoCopy,
): InputContent {
  return {
    mimeType,
    bytes,
    async open(range) {
      try {
        return await artifacts.open({ locator, ...range })
      } catch (error) {
        if (isSafelightError(error) && error.code === "artifact-missing") return "gone"
        throw error
      }
    },
  }
}
