/**
 * The thread that asks for holds of one task, a round whenever it is told to, so that sending them does not
 * delay the GETs that are measured. `CALLERS` ask at once, and after every `READ_EVERY` holds the task's
 * events are read.
 */
import { Agent, request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"

export interface HoldAskerSettings {
  readonly url: string
  readonly key: string
  /** Of a finished task. */
  readonly id: string
  readonly holds: number
  readonly rounds: number
}

if (parentPort === null) throw new Error("hold-asker.ts is the body of a worker thread")
const port = parentPort
const { url, key, id, holds, rounds } = workerData as HoldAskerSettings
const CALLERS = 4
const READ_EVERY = 20
const DAY_S = 86_400
/** What the account may, from the task's end, in days; each hold asks for a little more of it. */
const LAST_DAY = 99
const FIRST_DAY = 15

const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
const startedAtS = Math.floor(Date.now() / 1_000)
let asked = 0

/** A refusal is an answer too. */
function call(method: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent }, (answer) => {
      answer.resume().once("end", () => {
        if ((answer.statusCode ?? 500) < 500) resolve()
        else reject(new Error(`${path} was answered ${answer.statusCode}`))
      })
    })
    sent.once("error", reject)
    sent.end()
  })
}

async function ask(until: number): Promise<void> {
  while (asked < until) {
    asked += 1
    const days = FIRST_DAY + ((LAST_DAY - FIRST_DAY) * asked) / holds
    const moment = startedAtS + Math.floor(days * DAY_S)
    await call("POST", `/v1/tasks/${id}/hold?until=${moment}`)
    if (asked % READ_EVERY === 0) await call("GET", `/v1/tasks/${id}/events`)
  }
}

let round = 0

async function askRound(): Promise<void> {
  round += 1
  const until = Math.ceil((holds * round) / rounds)
  await Promise.all(Array.from({ length: CALLERS }, () => ask(until)))
  port.postMessage(asked)
}

port.on("message", () => void askRound())
