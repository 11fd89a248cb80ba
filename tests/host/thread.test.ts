/** A thread that answers questions: their order, its death, its time and its rest. */
import assert from "node:assert/strict"
import { once } from "node:events"
import { describe, test } from "node:test"
import type { Worker } from "node:worker_threads"
import { createThread, type ThreadEnd, type ThreadOptions } from "@safelight/host"

/** Answers a number with its double, throws at "throw", loops at "loop", and ends at "end". */
const PROGRAM = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads"
    parentPort.on("message", (question) => {
      if (question === "throw") throw new Error("a fault")
      if (question === "loop") for (;;) {}
      if (question === "end") parentPort.close()
      else parentPort.postMessage(question * 2)
    })`)}`,
)

function create(options: Partial<ThreadOptions> = {}) {
  const ends: ThreadEnd[] = []
  const thread = createThread<number | string, number>({
    program: PROGRAM,
    onEnd(end) {
      ends.push(end)
      return new Error(`the thread ${end.how}`)
    },
    ...options,
  })
  return { ends, thread }
}

describe("a thread", () => {
  test("answers every question, in order, and ends by a last one behind all answers", async () => {
    const { ends, thread } = create()
    const answers = Promise.all([1, 2, 3].map((question) => thread.ask(question)))
    await thread.end("end")
    assert.deepEqual(await answers, [2, 4, 6])
    assert.deepEqual(ends, [{ how: "was ended", cause: undefined, unanswered: 0 }])
    await thread.end()
  })

  test("that dies rejects what it did not answer, with the reason, and the next question starts another", async () => {
    const { ends, thread } = create()
    const lost = [thread.ask("throw"), thread.ask(1)]
    for (const each of lost) {
      // oxlint-disable-next-line no-await-in-loop
      await assert.rejects(each, { message: "the thread died of Error: a fault" })
    }
    assert.equal(ends[0]?.unanswered, 2)
    assert.equal(await thread.ask(4), 8)
    await thread.end()
  })

  test("that takes too long is ended, and says so once", async () => {
    const { ends, thread } = create()
    const late = { message: "the thread took longer than 20 ms and was ended" }
    await assert.rejects(thread.ask("loop", { timeoutMs: 20 }), late)
    assert.equal(await thread.ask(1, { timeoutMs: 60_000 }), 2)
    await thread.end()
    assert.deepEqual(
      ends.map(({ how }) => how),
      ["took longer than 20 ms and was ended", "was ended"],
    )
  })

  test("that rests is gone, which is no end to report, and is started again", async () => {
    const { ends, thread } = create({ restMs: 1 })
    for (const question of [1, 2]) {
      const started = once(process, "worker") as Promise<[Worker]>
      const answer = thread.ask(question)
      // oxlint-disable-next-line no-await-in-loop
      const [worker] = await started
      const exited = once(worker, "exit")
      // oxlint-disable-next-line no-await-in-loop
      assert.equal(await answer, question * 2)
      // oxlint-disable-next-line no-await-in-loop
      await exited
    }
    assert.deepEqual(ends, [])
  })

  test("that can't be sent a question is still asked others", async () => {
    const { thread } = create()
    await assert.rejects(async () => thread.ask((() => {}) as never), { name: "DataCloneError" })
    assert.equal(await thread.ask(1), 2)
    await thread.end()
  })
})
