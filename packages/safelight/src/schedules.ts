/**
 * What a service does by the clock, with node-cron: the engine's sweep each minute, the sweep of
 * unfinished files each day, both once at the start. A run that fails is logged and comes again; a
 * run that takes longer than its interval is not doubled.
 */
import type { Log } from "@safelight/core"
import { createTask, type ScheduledTask } from "node-cron"

export interface Chore {
  readonly name: string
  /** Five or six cron fields, local time. */
  readonly pattern: string
  run(): Promise<void>
}

export interface SchedulesOptions {
  readonly chores: readonly Chore[]
  readonly log: Log
}

export interface Schedules {
  /** Ends the schedules and waits for the runs under way. */
  stop(): Promise<void>
}

export const EACH_MINUTE = "* * * * *"
/** When few are awake in most places; nothing depends on the moment. */
export const EACH_NIGHT = "17 4 * * *"

export function startSchedules({ chores, log }: SchedulesOptions): Schedules {
  const running = new Set<Promise<void>>()
  const run = (chore: Chore): Promise<void> => {
    const done = chore
      .run()
      .catch((error: unknown) => log.error({ chore: chore.name, error }, "a chore failed"))
      .finally(() => running.delete(done))
    running.add(done)
    return done
  }
  const tasks = chores.map((chore) => schedule(chore, () => run(chore)))
  for (const chore of chores) void run(chore)
  return {
    async stop() {
      for (const task of tasks) await task.destroy()
      await Promise.all(running)
    },
  }
}

function schedule(chore: Chore, run: () => Promise<void>): ScheduledTask {
  // Its own would write to standard output. What a run throws is logged above, by name.
  const logger = { info() {}, warn() {}, error() {}, debug() {} }
  const options = { name: chore.name, noOverlap: true, suppressMissedWarning: true, logger }
  const task = createTask(chore.pattern, run, options)
  void task.start()
  return task
}
