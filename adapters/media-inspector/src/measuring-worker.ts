/**
 * The process that measures: one medium at a time, read through the host. It ignores the signals that ask for
 * an end, which often reach the whole group of processes while a measurement is still wanted: it ends with
 * its host, or is killed by it. This file is started, never imported.
 */
import { Socket } from "node:net"
import process from "node:process"
import { Worker } from "node:worker_threads"
import { createAskingReader } from "./ask-host.ts"
import { createBytePipe } from "./byte-pipe.ts"
import { measureMedia } from "./measure-media.ts"
import { PIPE, readOrder, writeSaid } from "./wire.ts"

const WATCH_URL = new URL(
  import.meta.url.endsWith(".ts") ? "./worker-watch.ts" : "./worker-watch.js",
  import.meta.url,
)

await serve()

async function serve(): Promise<never> {
  const [, , memoryBytes] = process.argv
  const workerData = { memoryBytes: Number(memoryBytes), parent: process.ppid }
  // In a thread of its own: it has to see what blocks this one.
  new Worker(WATCH_URL, { workerData }).unref()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
  const socket = new Socket({ fd: PIPE, readable: true, writable: true })
  // The pipe ends if the host is gone.
  socket.on("error", () => {})
  const pipe = createBytePipe(socket)
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const order = (await readOrder(pipe)) ?? leave()
    // oxlint-disable-next-line no-await-in-loop
    await writeSaid(pipe, { kind: "begun" })
    const reader = createAskingReader(pipe, leave)
    // oxlint-disable-next-line no-await-in-loop
    const said = await measureMedia({ ...order, read: reader.read })
    // oxlint-disable-next-line no-await-in-loop
    await reader.finish()
    // oxlint-disable-next-line no-await-in-loop
    await writeSaid(pipe, said)
  }
}

function leave(): never {
  process.exit()
}
