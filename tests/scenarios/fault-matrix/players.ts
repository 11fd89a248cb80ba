/** The threads that play the matrix; what is asked of them waits for one that is free. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { SOURCE_FLAGS } from "../../support/own-process.ts"
import type { Field, Verdict } from "./player.ts"

export interface Players {
  play(field: Field): Promise<Verdict>
  close(): Promise<void>
}

export function createPlayers(count: number): Players {
  const threads = Array.from(
    { length: count },
    () => new Worker(new URL("player.ts", import.meta.url), { execArgv: SOURCE_FLAGS }),
  )
  const free = [...threads]
  const waiting: ((thread: Worker) => void)[] = []

  async function take(): Promise<Worker> {
    return free.pop() ?? new Promise((resolve) => waiting.push(resolve))
  }

  function giveBack(thread: Worker): void {
    const next = waiting.shift()
    if (next === undefined) free.push(thread)
    else next(thread)
  }

  return {
    async play(field) {
      const thread = await take()
      try {
        thread.postMessage(field, [])
        const [verdict] = (await once(thread, "message")) as [Verdict]
        return verdict
      } finally {
        giveBack(thread)
      }
    },
    async close() {
      await Promise.all(
        threads.map(async (thread) => {
          thread.postMessage("close", [])
          await once(thread, "exit")
        }),
      )
    },
  }
}
