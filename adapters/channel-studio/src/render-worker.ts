/**
 * The process that renders: one job at a time, ordered by a message and answered by messages. Nothing
 * else decodes, paints or encodes, so the host's event loop stays free and its memory its own. Sharp is
 * held to one thread, and of libvips' many loaders only those that are needed can be reached. Signals
 * that ask for an end are ignored: they often reach the whole group of processes, and the host still
 * wants what is being rendered. The process ends with its host, or is killed by it.
 */
import { readFile, writeFile } from "node:fs/promises"
import process from "node:process"
import { Worker } from "node:worker_threads"
import { isSafelightError } from "@safelight/core"
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

const WATCH_URL = new URL(
  import.meta.url.endsWith(".ts") ? "./worker-watch.ts" : "./worker-watch.js",
  import.meta.url,
)

if (process.send !== undefined) serve()

function serve(): void {
  const [, , memoryBytes] = process.argv
  const workerData = { memoryBytes: Number(memoryBytes), parent: process.ppid }
  // A thread of its own, since it has to act while this one is held up.
  new Worker(WATCH_URL, { workerData }).unref()
  process.once("disconnect", () => process.exit())
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ["VipsForeignLoad"] })
  sharp.unblock({
    operation: [
      "VipsForeignLoadPngBuffer",
      "VipsForeignLoadJpegBuffer",
      "VipsForeignLoadWebpBuffer",
    ],
  })
  let latest = 0
  const report = (progress: number): void => {
    const bound = Math.min(99, Math.max(1, Math.floor(progress)))
    if (bound <= latest) return
    latest = bound
    say({ kind: "progress", progress: bound })
  }
  process.on("message", (order: WorkOrder) => {
    latest = 0
    void render(order, report).catch(toFailure).then(say)
  })
}

const PAINTING: WorkerMessage = { kind: "painting" }

function paint(): void {
  say(PAINTING)
}

function say(message: WorkerMessage): void {
  process.send?.(message)
}

async function render(
  { job, folder }: WorkOrder,
  report: (progress: number) => void,
): Promise<WorkResult> {
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
      // Nothing catches this, as nothing would catch a fault in native code.
      return new Promise(() => process.send?.(PAINTING, () => process.exit(1)))
  }
}

function toReader(file: string): ReadMedia {
  return () => {
    say({ kind: "reading" })
    return readFile(file)
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
