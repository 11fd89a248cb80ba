/** Many processes that put tasks into the queue: they notify for each other, and no task is forgotten. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout } from "node:timers/promises"
import { SILENT_LOG } from "@safelight/core"
import { createWakeUps, type Notifications, type WakeUps } from "@safelight/store"
import { until } from "../../support/until.ts"

const PROCESSES = 20
/** In each process, some 10 ms apart: longer than several notifications of one process are. */
const TASKS = 30

interface Process {
  readonly wakeUps: WakeUps
  wokenAt: number
  queuedAt: number
  notified: number
}

/** Processes that listen to each other. */
function createProcesses(count: number): readonly Process[] {
  const listeners = new Set<(payload: string) => void>()
  return Array.from({ length: count }, (): Process => {
    const own: { process?: Process } = {}
    const notifications: Notifications = {
      async notify(payload) {
        if (own.process !== undefined) own.process.notified += 1
        for (const listener of listeners) listener(payload)
      },
      async listen(onPayload) {
        listeners.add(onPayload)
        return { ended: new Promise(() => {}), end: () => void listeners.delete(onPayload) }
      },
    }
    const wakeUps = createWakeUps(notifications, SILENT_LOG)
    const process: Process = { wakeUps, wokenAt: 0, queuedAt: 0, notified: 0 }
    own.process = process
    wakeUps.methods.onQueued?.(() => void (process.wokenAt = performance.now()))
    return process
  })
}

async function queue(process: Process): Promise<void> {
  for (let made = 0; made < TASKS; made += 1) {
    await setTimeout(5 + ((made * 7) % 11))
    process.queuedAt = performance.now()
    process.wakeUps.noteQueued()
  }
}

test("each process is woken after the last task of every other one, in few notifications", async () => {
  const processes = createProcesses(PROCESSES)
  try {
    const beganAt = performance.now()
    await Promise.all(processes.map(queue))
    const woken = (): boolean =>
      processes.every(({ wokenAt }, index) =>
        processes.every(({ queuedAt }, other) => other === index || queuedAt < wokenAt),
      )
    await until(woken)
    const windows = (performance.now() - beganAt) / 50
    const notified = processes.reduce((sum, each) => sum + each.notified, 0)
    assert.ok(notified < (windows * PROCESSES) / 3, `${notified} notifications`)
  } finally {
    for (const { wakeUps } of processes) wakeUps.close()
  }
})

test("a process notifies of its task itself where one other notifies, which nobody else wakes", async () => {
  const [one, other] = createProcesses(2)
  assert.ok(one && other)
  try {
    const queuing = queue(other)
    await until(() => other.notified > 0)
    one.queuedAt = performance.now()
    one.wakeUps.noteQueued()
    await queuing
    await until(() => one.queuedAt < other.wokenAt)
  } finally {
    for (const { wakeUps } of [one, other]) wakeUps.close()
  }
})
