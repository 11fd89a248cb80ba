/**
 * The thread that renders: one job at a time, told by a message, answered by messages. Nothing but
 * this thread decodes, paints or encodes, so the host's event loop stays free; sharp's own threads
 * are held to one, and the video encoder is loaded only by the worker that gets a video.
 */
import { parentPort, type MessagePort, type Transferable } from "node:worker_threads"
import { isFailureCode, isSafelightError } from "@safelight/core"
import sharp from "sharp"
import { renderEdit } from "./image/render-edit.ts"
import { renderPicture } from "./image/render-picture.ts"
import {
  toDetail,
  type Rendered,
  type RenderedOutput,
  type RenderJob,
  type RenderResult,
  type WorkerMessage,
} from "./rendering-job.ts"

if (parentPort !== null) serve(parentPort)

function serve(port: MessagePort): void {
  sharp.concurrency(1)
  sharp.cache(false)
  let latest = 0
  const report = (progress: number): void => {
    const bound = Math.min(99, Math.max(1, Math.floor(progress)))
    if (bound <= latest) return
    latest = bound
    const message: WorkerMessage = { kind: "progress", progress: bound }
    port.postMessage(message)
  }
  port.on("message", (job: RenderJob) => {
    latest = 0
    void answer(job)
  })

  async function answer(job: RenderJob): Promise<void> {
    const result = await render(job, report).catch(toFailure)
    port.postMessage(result, toTransfers(result))
  }
}

async function render(job: RenderJob, report: (progress: number) => void): Promise<Rendered> {
  switch (job.kind) {
    case "picture": {
      const bytes = await renderPicture(job.parameters, report)
      return { kind: "rendered", outputs: [{ mimeType: "image/png", bytes: toOwn(bytes) }] }
    }
    case "edit": {
      const mimeType = `image/${job.parameters.output_format}`
      const pictures = await renderEdit(job.parameters, job.images, report)
      return {
        kind: "rendered",
        outputs: pictures.map((bytes) => ({ mimeType, bytes: toOwn(bytes) })),
      }
    }
    case "video": {
      const { renderVideo } = await import("./video/render-video.ts")
      const { bytes, durationMs, inputVideosMs } = await renderVideo(job, report)
      const output: RenderedOutput = { mimeType: "video/mp4", bytes: toOwn(bytes), durationMs }
      return { kind: "rendered", outputs: [output], inputVideosMs }
    }
    case "crash":
      // The point of it: nothing catches this, as nothing would catch a fault in native code.
      return process.exit(1)
  }
}

function toFailure(error: unknown): RenderResult {
  if (isSafelightError(error) && isFailureCode(error.code)) {
    return { kind: "refused", code: error.code }
  }
  return { kind: "broken", detail: toDetail(error) }
}

/**
 * In memory of its own, so that it can be handed over: an encoder's buffer belongs to native code
 * and refuses.
 */
function toOwn(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}

function toTransfers(result: RenderResult): Transferable[] {
  return result.kind === "rendered" ? result.outputs.map(({ bytes }) => bytes.buffer) : []
}
