/**
 * The program of a process that renders: one job at a time, ordered by a message and answered by messages. Nothing
 * else decodes, paints or encodes, so the host's event loop stays free and its memory its own. Sharp is held to
 * one thread, and of libvips' many loaders only those that are needed can be reached. This file is started, never
 * imported.
 */
import { readFile, writeFile } from "node:fs/promises"
import process from "node:process"
import { isSafelightError } from "@safelight/core"
import { serveOrders, type Host } from "@safelight/host/child"
import { renderEdit, renderPicture, renderVideo, type ReadMedia } from "@safelight/painter"
import sharp from "sharp"
import { isMachineTrouble } from "./machine-trouble.ts"
import {
  isWorkRefusal,
  toDetail,
  type WorkerMessage,
  type WorkOrder,
  type WorkResult,
} from "./rendering-job.ts"
import { toOutputFile } from "./work-folder.ts"

sharp.concurrency(1)
sharp.cache(false)
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({
  operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer", "VipsForeignLoadWebpBuffer"],
})
await serveOrders((order, host) => render(order as WorkOrder, host).catch(toFailure))

async function render({ job, folder }: WorkOrder, host: Host): Promise<WorkResult> {
  const send = (message: WorkerMessage): Promise<void> => host.send(message)
  const paint = (): void => void send({ kind: "painting" })
  const report = createReport((progress) => void send({ kind: "progress", progress }))
  const toReader = (file: string): ReadMedia => {
    return () => {
      void send({ kind: "reading" })
      return readFile(file)
    }
  }
  switch (job.kind) {
    case "picture": {
      paint()
      await writeOutputs(folder, [await renderPicture(job.parameters, report)])
      return { kind: "rendered" }
    }
    case "edit": {
      const images = job.images.map(toReader)
      await writeOutputs(folder, await renderEdit({ ...job, images, paint }, report))
      return { kind: "rendered" }
    }
    case "video": {
      const images = job.images.map(toReader)
      await writeOutputs(folder, [await renderVideo({ ...job, images, paint }, report)])
      return { kind: "rendered" }
    }
    case "crash":
      await send({ kind: "painting" })
      // Nothing catches this, as nothing would catch a fault in native code.
      process.exit(1)
  }
}

/** Passes on 1 to 99, each once and rising. */
function createReport(send: (progress: number) => void): (progress: number) => void {
  let latest = 0
  return (progress) => {
    const bound = Math.min(99, Math.max(1, Math.floor(progress)))
    if (bound <= latest) return
    latest = bound
    send(bound)
  }
}

async function writeOutputs(folder: string, outputs: readonly Uint8Array[]): Promise<void> {
  for (const [index, bytes] of outputs.entries()) {
    // oxlint-disable-next-line no-await-in-loop
    await writeFile(toOutputFile(folder, index), bytes, { flag: "wx", mode: 0o600 })
  }
}

function toFailure(error: unknown): WorkResult {
  if (isSafelightError(error) && isWorkRefusal(error.code)) {
    return { kind: "refused", code: error.code }
  }
  return { kind: isMachineTrouble(error) ? "unavailable" : "broken", detail: toDetail(error) }
}
