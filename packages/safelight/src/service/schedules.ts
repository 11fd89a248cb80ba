/**
 * The scheduled runs of a service, by node-cron: the two parts of the engine's sweep each minute, the sweep of
 * unfinished files each night, and all of them once at the start. A run that fails is logged, and the next one
 * follows. A run that takes longer than its interval is not started twice.
 */
import type { Clock, Log } from "@safelight/core"
import { createTask, type ScheduledTask } from "node-cron"

export interface ScheduledRun {
  readonly name: string
  /** Five or six cron fields, local time. */
  readonly pattern: string
  run(): Promise<void>
}

export interface SchedulesOptions {
  readonly runs: readonly ScheduledRun[]
  readonly clock: Pick<Clock, "wait">
  readonly log: Log
}

export interface Schedules {
  /**
   * Begins no more runs from the call on, and waits for those in progress for up to `graceMs`. A run that takes
   * longer is abandoned: what it uses may be closed before it ends. Never rejects.
   */
  stop(options: { readonly graceMs: number }): Promise<void>
}

export const EACH_MINUTE = "* * * * *"
/** When most services have little to do; nothing depends on the moment. */
export const EACH_NIGHT = "17 4 * * *"

export function startSchedules({ runs, clock, log }: SchedulesOptions): Schedules {
  const running = new Map<ScheduledRun, Promise<void>>()
  let state: "running" | "stop requested" | "stopped" = "running"

  async function perform(each: ScheduledRun): Promise<void> {
    try {
      await each.run()
    } catch (error) {
      // An abandoned run fails because of the stop, which has logged it already.
      if (state !== "stopped") log.error({ run: each.name, error }, "scheduled run failed")
    }
  }

  async function begin(each: ScheduledRun): Promise<void> {
    if (state !== "running") return
    const done = running.get(each) ?? perform(each).finally(() => running.delete(each))
    running.set(each, done)
    await done
  }

  const tasks = runs.map((each) => schedule(each, () => begin(each)))
  for (const each of runs) void begin(each)
  return {
    async stop({ graceMs }) {
      state = "stop requested"
      for (const task of tasks) void task.destroy()
      const over = new AbortController()
      await Promise.race([Promise.all(running.values()), clock.wait(graceMs, over.signal)])
      over.abort()
      state = "stopped"
      const left = Array.from(running.keys(), ({ name }) => name)
      if (left.length > 0) log.warn({ runs: left }, "scheduled runs abandoned")
    },
  }
}

function schedule(each: ScheduledRun, run: () => Promise<void>): ScheduledTask {
  // node-cron's own logger would write to standard output. A run's error is logged above, with its name.
  const logger = { info() {}, warn() {}, error() {}, debug() {} }
  const options = { name: each.name, noOverlap: true, suppressMissedWarning: true, logger }
  const task = createTask(each.pattern, run, options)
  void task.start()
  return task
}
