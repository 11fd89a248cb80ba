/** The threads that a test starts, seen by Node's own `worker` event: nothing of ours tells of them. */
import type { Worker } from "node:worker_threads"
import { creation, createWorld, type WorldOptions } from "./worlds.ts"

// Whatever is loaded at a first call is loaded now: tsx may start a thread of its own to translate it.
const first = await createWorld("over a socket")
await first.call("/v1/tasks", creation())
await first.close()

/** Longer than any test. */
export const NEVER_MS = 10_000_000

/** Threads started until it is disposed of, in order. */
export function watchThreads() {
  const started: Worker[] = []
  const gone = new Set<Worker>()
  let meet: (worker: Worker) => void = () => {}

  function onWorker(worker: Worker): void {
    started.push(worker)
    worker.once("exit", () => gone.add(worker))
    meet(worker)
  }
  process.on("worker", onWorker)

  return {
    started,
    gone,
    /** Called with each later thread, which has its first job by then. */
    onStart(call: (worker: Worker) => void) {
      meet = call
    },
    [Symbol.dispose]() {
      process.off("worker", onWorker)
    },
  }
}

export async function openServer(settings: WorldOptions["settings"] = {}) {
  const world = await createWorld("over a socket", { settings })
  return { ...world, [Symbol.asyncDispose]: () => world.close() }
}
