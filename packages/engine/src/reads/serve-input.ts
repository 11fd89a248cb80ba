/**
 * Serving an input to whoever has its address. Only data URLs are served: what lies at a caller's own
 * address is fetched there, and never through this service.
 */
import {
  DATA_URL_TYPES,
  listMediaInputs,
  type InputContent,
  type InputService,
} from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { readParameters } from "../record/request-input.ts"

export function createInputService(ports: Ports): InputService {
  const { clock, inputLinks, models, storage } = ports
  return {
    async verifyInput(token) {
      const claim = await inputLinks.verify(token)
      return claim !== undefined && clock.now() >= claim.expiresAt ? "gone" : claim
    },
    async readInput({ position, task }) {
      const head = await storage.readTask(task)
      const model = head && models.get(head.task.model)
      if (model === undefined) return undefined
      const parameters = await readParameters(storage, task)
      if (parameters === undefined) return "gone"
      return toContent(listMediaInputs(model, parameters)[position]?.url ?? "")
    },
  }
}

const TYPES: ReadonlySet<string> = new Set(Object.values(DATA_URL_TYPES).flat())

/** Its form was checked when the task was submitted; undefined for what is no data URL. */
function toContent(url: string): InputContent | undefined {
  const comma = url.indexOf(";base64,")
  const mimeType = url.slice("data:".length, comma)
  if (!url.startsWith("data:") || !TYPES.has(mimeType)) return undefined
  return { mimeType, content: Buffer.from(url.slice(comma + ";base64,".length), "base64") }
}
