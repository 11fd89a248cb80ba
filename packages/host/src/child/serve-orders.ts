/**
 * The main loop of a program that a process pool starts: one order at a time, each answered by a last message.
 * The process ignores the signals that ask for an end. They often reach the whole group of processes, and the
 * host still wants what is being done: the process ends with its host, or is killed by it.
 */
import { Socket } from "node:net"
import process from "node:process"
import { Worker } from "node:worker_threads"
import { createBytePipe } from "../wire/byte-pipe.ts"
import { PIPE, readMessage, writeMessage } from "../wire/messages.ts"

/** The process that started this one. */
export interface Host {
  /** Resolves once the message is written. Messages arrive in the order of the calls. */
  send(message: object): Promise<void>
  /** Exactly as many bytes as the host was asked for. */
  readBytes(bytes: number): Promise<Uint8Array>
}

const WATCH = new URL(
  import.meta.url.endsWith(".ts") ? "./watch-process.ts" : "./watch-process.js",
  import.meta.url,
)

/** Carries out every order by `work`, whose result is the order's last message. */
export async function serveOrders(
  work: (order: unknown, host: Host) => Promise<object>,
): Promise<never> {
  // In a thread of its own: it has to act while this one is blocked.
  new Worker(WATCH, { argv: process.argv.slice(2) }).unref()
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
  const socket = new Socket({ fd: PIPE, readable: true, writable: true })
  // If the host is gone the pipe ends, which the next read shows.
  socket.on("error", () => {})
  const pipe = createBytePipe(socket)
  const host: Host = {
    send: (message) => writeMessage(pipe, message),
    readBytes: async (bytes) => (await pipe.read(bytes)) ?? process.exit(),
  }
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const order = (await readMessage(pipe)) ?? process.exit()
    // oxlint-disable-next-line no-await-in-loop
    await host.send({ kind: "begun" })
    // oxlint-disable-next-line no-await-in-loop
    await host.send(await work(order, host))
  }
}
