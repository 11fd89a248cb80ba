/**
 * A thread of this process that answers questions in their order. It starts with the first question and keeps no
 * process alive between two. If it dies, it takes the questions in its hands along, and the next one starts another.
 */
import { Worker, type Transferable } from "node:worker_threads"

export interface ThreadOptions {
  /** A module that answers each message of its port by one message. */
  readonly program: URL
  readonly workerData?: unknown
  /** The thread ends after so long without a question: only then its memory goes back to the system. */
  readonly restMs?: number
  /** Called once a thread has ended, asked for or not, but for its rest. What is unanswered rejects with the result. */
  readonly onEnd: (end: ThreadEnd) => Error
}

/** How a thread ended. */
export interface ThreadEnd {
  /** For a message: "the thread …". */
  readonly how: string
  /** The error that nothing in the thread caught. */
  readonly cause: Error | undefined
  /** Questions without an answer. */
  readonly unanswered: number
}

export interface AskOptions {
  /** Moved to the thread instead of copied. */
  readonly transfer?: readonly Transferable[]
  /** The thread is ended if the answer takes longer. */
  readonly timeoutMs?: number
}

export interface Thread<Question, Answer> {
  ask(question: Question, options?: AskOptions): Promise<Answer>
  /**
   * Ends the thread: at once, or by a last question, which the thread answers by ending itself. Resolves once it
   * is gone.
   */
  end(last?: Question): Promise<void>
}

interface Asked<Answer> extends PromiseWithResolvers<Answer> {
  readonly late: NodeJS.Timeout | undefined
}

export function createThread<Question, Answer>(options: ThreadOptions): Thread<Question, Answer> {
  const { restMs, onEnd } = options
  const asked: Asked<Answer>[] = []
  let worker: Worker | undefined
  let resting: NodeJS.Timeout | undefined
  let lateness: string | undefined

  function onAnswer(answer: Answer): void {
    const answered = asked.shift()
    clearTimeout(answered?.late)
    answered?.resolve(answer)
    if (asked.length === 0) rest()
  }

  function rest(): void {
    worker?.unref()
    if (restMs === undefined) return
    resting = setTimeout(() => {
      void worker?.terminate()
      worker = undefined
    }, restMs).unref()
  }

  function onExit(exited: Worker, cause: Error | undefined): void {
    if (worker !== exited) return
    worker = undefined
    clearTimeout(resting)
    const unanswered = asked.splice(0)
    const how = lateness ?? (cause === undefined ? "was ended" : `died of ${String(cause)}`)
    lateness = undefined
    const error = onEnd({ how, cause, unanswered: unanswered.length })
    for (const { late, reject } of unanswered) {
      clearTimeout(late)
      reject(error)
    }
  }

  function endLate(timeoutMs: number): void {
    lateness = `took longer than ${timeoutMs} ms and was ended`
    void worker?.terminate()
  }

  return {
    ask(question, { transfer = [], timeoutMs } = {}) {
      clearTimeout(resting)
      worker ??= startWorker(options, onExit).on("message", onAnswer)
      worker.ref()
      worker.postMessage(question, transfer)
      const late = timeoutMs === undefined ? undefined : setTimeout(endLate, timeoutMs, timeoutMs)
      const answer = { ...Promise.withResolvers<Answer>(), late }
      asked.push(answer)
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

function startWorker(
  { program, workerData }: ThreadOptions,
  onExit: (exited: Worker, cause: Error | undefined) => void,
): Worker {
  // The host's other flags are about its own entry: `--input-type` alone would keep the thread from starting.
  const execArgv = process.execArgv.filter((flag) => flag.startsWith("--conditions="))
  const worker = new Worker(program, { workerData, execArgv })
  let cause: Error | undefined
  worker.on("error", (error: Error) => {
    cause = error
    void worker.terminate()
  })
  worker.on("exit", () => onExit(worker, cause))
  return worker
}
