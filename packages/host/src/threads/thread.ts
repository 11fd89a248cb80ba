/**
 * A thread of this process that answers questions in their order. It starts with the first question, keeps no
 * process alive between two, and if it dies, the question after that starts another.
 */
import { Worker } from "node:worker_threads"

export interface ThreadOptions {
  /** A module that answers each message of its port by one message. */
  readonly program: URL
  readonly workerData: unknown
  /** Called once the thread has ended, asked for or not. What it left unanswered rejects with the result. */
  readonly onEnd: (end: ThreadEnd) => Error
}

/** How a thread ended. */
export interface ThreadEnd {
  /** For a message: "the thread …". */
  readonly how: string
  /** The error that nothing in the thread caught. */
  readonly cause: unknown
  /** Questions without an answer. */
  readonly unanswered: number
}

export interface Thread<Question, Answer> {
  ask(question: Question): Promise<Answer>
  /**
   * Ends the thread: at once, or by a last question, which the thread answers by ending itself. Resolves once it
   * is gone.
   */
  end(last?: Question): Promise<void>
}

export function createThread<Question, Answer>(options: ThreadOptions): Thread<Question, Answer> {
  const asked: PromiseWithResolvers<Answer>[] = []
  let worker: Worker | undefined

  function start(): Worker {
    const { program, workerData, onEnd } = options
    // The host's own flags are none of the thread's: `--input-type` alone would keep it from starting.
    const started = new Worker(program, { workerData, execArgv: [] })
    let cause: Error | undefined
    started.on("message", (answer: Answer) => {
      asked.shift()?.resolve(answer)
      if (asked.length === 0) started.unref()
    })
    started.on("error", (error: Error) => {
      cause = error
    })
    started.on("exit", () => {
      worker = undefined
      const unanswered = asked.splice(0)
      const how = cause === undefined ? "was ended" : `died of ${String(cause)}`
      const error = onEnd({ how, cause, unanswered: unanswered.length })
      for (const { reject } of unanswered) reject(error)
    })
    return started
  }

  return {
    ask(question) {
      const answer = Promise.withResolvers<Answer>()
      asked.push(answer)
      worker ??= start()
      worker.ref()
      worker.postMessage(question, [])
      return answer.promise
    },
    async end(last) {
      if (worker === undefined) return
      const ended = new Promise((resolve) => worker?.once("exit", resolve))
      worker.ref()
      if (last === undefined) void worker.terminate()
      else worker.postMessage(last, [])
      await ended
    },
  }
}
