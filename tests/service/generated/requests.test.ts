/**
 * Ten thousand requests that nobody wrote, valid and not, against the real service: a task exists
 * for each that is valid and for no other, and every refusal is one of the table. The seed is
 * printed; `SAFELIGHT_TEST_SEED` runs one again.
 */
import assert from "node:assert/strict"
import { after, before, describe, it, type TestContext } from "node:test"
import * as fc from "fast-check"
import { checkAsync } from "../../core/support/property.ts"
import { checkAnswer, checkAnyAnswer, type Answer, type Asked } from "./check-answer.ts"
import { describeCall, expectAnswer } from "./expected-answer.ts"
import { BODY_BYTES, CALL, hasBody, type GeneratedCall } from "./calls.ts"
import { BYTE_FAULT, breakBytes } from "./json-text.ts"
import {
  createInProcessService,
  type InProcessService,
  type StoredCounts,
} from "../in-process-service.ts"
import { createRawClient } from "../../support/raw-client.ts"
import { createKeepAliveClient, readAnswer, toHeaders, toPieces } from "./wire.ts"

const BATCH = 20
const IN_PROCESS_BATCHES = 400
const SOCKET_BATCHES = 125
/** All at once on connections of their own, since some end only at a time limit. */
const MUTATED_BATCH = 150
const MUTATED_BATCHES = 7

const SETTINGS = { bodyBytes: BODY_BYTES, lingerMs: 500 }

type Send = (call: GeneratedCall) => Promise<Answer>

let service: InProcessService
const seen = new Map<number, number>()

before(async () => {
  service = await createInProcessService({ settings: SETTINGS })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

describe("generated requests", () => {
  it("are answered in process as the model says, and stored only where they are valid", (context) =>
    checkBatches(context, IN_PROCESS_BATCHES, sendInProcess))

  it("are answered over kept connections as the model says", async (context) => {
    const clients = Array.from({ length: BATCH }, () => createKeepAliveClient(service.url))
    await checkBatches(context, SOCKET_BATCHES, (call, index) => {
      const client = clients[index]
      assert.ok(client !== undefined)
      return client.exchange(call.method, toPieces(call, service.keys))
    })
    const opened = clients.reduce((sum, client) => sum + client.opened(), 0)
    // A connection ends where a body was left unread; most bodies are not.
    assert.ok(opened < (SOCKET_BATCHES * BATCH) / 2, `${opened} connections`)
    await Promise.all(clients.map((client) => client.close()))
  })

  it("whose bytes are broken anywhere end in whole answers, and in no task without its 202", async (context) => {
    const settings = {
      ...SETTINGS,
      headersTimeoutMs: 300,
      requestTimeoutMs: 400,
      keepAliveTimeoutMs: 200,
    }
    await using hurried = await createInProcessService({ settings })
    const faults = fc.array(BYTE_FAULT, { minLength: 1, maxLength: 5 })
    const mutated = fc.record({ call: CALL.filter(({ method }) => method !== "HEAD"), faults })
    const size = { minLength: MUTATED_BATCH, maxLength: MUTATED_BATCH }
    // Not made smaller: a failing batch takes the server's time limits, and hundreds would follow.
    const batch = fc.noShrink(fc.array(mutated, size))
    const property = fc.asyncProperty(batch, async (each) => {
      const stored = hurried.countStored()
      const answered = await settleAll(
        each.map(({ call, faults: those }) => {
          const bytes = breakBytes(Buffer.concat(toPieces(call, hurried.keys)), those)
          return sendAlone(hurried, bytes, call)
        }),
      )
      const accepted = answered.flat().filter(({ status }) => status === 202).length
      checkStored(hurried, stored, accepted)
    })
    await checkAsync(context, property, MUTATED_BATCHES)
    assert.deepEqual(hurried.logged, [])
  })

  it("come with every status that a request alone can bring about", (context) => {
    context.diagnostic(JSON.stringify(Object.fromEntries([...seen].toSorted(([a], [b]) => a - b))))
    for (const status of [200, 202, 204, 400, 401, 403, 404, 405, 413, 414, 415]) {
      assert.ok((seen.get(status) ?? 0) > 0, `no ${status}`)
    }
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
    assert.ok(total >= 10_000, `${total} requests`)
    assert.ok((seen.get(202) ?? 0) > total / 5, "too few are valid to mean anything")
  })
})

async function checkBatches(
  context: TestContext,
  batches: number,
  send: (call: GeneratedCall, index: number) => Promise<Answer>,
): Promise<void> {
  // Not made smaller: the message names the one call that failed.
  const batch = fc.noShrink(fc.array(CALL, { minLength: BATCH, maxLength: BATCH }))
  await checkAsync(
    context,
    fc.asyncProperty(batch, async (calls) => {
      const stored = service.countStored()
      const accepted = await settleAll(
        calls.map((call, index) => checkCall(call, (each) => send(each, index))),
      )
      checkStored(service, stored, accepted.filter(Boolean).length)
    }),
    batches,
  )
  assert.deepEqual(service.logged, [])
}

/** Like `Promise.all`, but with nothing left running when it rejects: the next batch counts tasks. */
async function settleAll<Value>(running: readonly Promise<Value>[]): Promise<Value[]> {
  await Promise.allSettled(running)
  return Promise.all(running)
}

/** Resolves to whether a task was accepted, having looked at that task. */
async function checkCall(call: GeneratedCall, send: Send): Promise<boolean> {
  const expected = expectAnswer(call)
  try {
    const answer = await send(call)
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    checkAnswer(answer, toAsked(call), expected)
    if (answer.status === 202) await checkAccepted(answer)
    return answer.status === 202
  } catch (error) {
    throw new Error(`expected ${JSON.stringify(expected).slice(0, 300)} of ${describeCall(call)}`, {
      cause: error,
    })
  }
}

async function checkAccepted(answer: Answer): Promise<void> {
  const task = JSON.parse(answer.text) as { task_id: string; status: string; progress: number }
  assert.deepEqual([task.status, task.progress], ["queued", 0])
  const location = `/v1/tasks/${task.task_id}`
  assert.equal(answer.header("location"), location)
  const headers = { authorization: `Bearer ${service.keys.reading}` }
  const request = new Request(`http://service.example${location}`, { headers })
  const shown = await service.handler.fetch(request)
  assert.equal(shown.status, 200)
  assert.equal(await shown.text(), answer.text)
}

/** One task, one event and one input for each that was accepted, and nothing else. */
function checkStored(
  { countStored }: InProcessService,
  stored: StoredCounts,
  accepted: number,
): void {
  assert.deepEqual(countStored(), {
    tasks: stored.tasks + accepted,
    events: stored.events + accepted,
    inputs: stored.inputs + accepted,
  })
}

async function sendInProcess(call: GeneratedCall): Promise<Answer> {
  const body = hasBody(call) ? { body: Buffer.from(call.body) } : {}
  const init = { method: call.method, headers: toHeaders(call, service.keys), ...body }
  const url = `http://service.example${call.place.target}`
  const response = await service.handler.fetch(new Request(url, init))
  const text = await response.text()
  return { status: response.status, header: (name) => response.headers.get(name), text }
}

/**
 * All answers on a connection of its own. The server ends it: by what it makes of the bytes, or by
 * its time limits where they ask for more than comes.
 */
async function sendAlone(
  { url }: InProcessService,
  bytes: Uint8Array,
  call: GeneratedCall,
): Promise<readonly Answer[]> {
  const client = createRawClient(url)
  client.send(bytes)
  const received = Buffer.from(await client.ended(), "latin1")
  const answers: Answer[] = []
  for (let at = 0; at < received.length;) {
    const read = readAnswer(received, call.method, at)
    assert.ok(read !== undefined, `half an answer: ${received.toString("latin1", at)}`)
    checkAnyAnswer(read.answer, toAsked(call))
    seen.set(read.answer.status, (seen.get(read.answer.status) ?? 0) + 1)
    answers.push(read.answer)
    at = read.end
  }
  return answers
}

function toAsked(call: GeneratedCall): Asked {
  const { whole, reading } = service.keys
  const body = Buffer.from(call.body).toString("utf8")
  return {
    method: call.method,
    input: `${call.place.target}\n${call.credential.name}\n${JSON.stringify(call.media)}\n${body}`,
    secrets: [whole, reading],
  }
}
