/**
 * graphile-worker as its own documentation has it for speed: a local queue and completions by the
 * batch. A job counts from its insert to the end of its handler; the batch of its completion comes
 * after that, so a round ends only once no job is left in the table.
 */
import {
  Logger,
  makeWorkerUtils,
  run,
  runMigrations,
  type Job,
  type RunnerOptions,
} from "graphile-worker"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { POOL_SIZE, type Database } from "./database.ts"
import type { Contender } from "./race.ts"

const TASK = "task"
const logger = new Logger(() => () => {})

export interface Graphile extends Contender, AsyncDisposable {}

/** Adds jobs that nobody works on. */
export async function openGraphileUtils({ url }: Database): Promise<Graphile> {
  const options = { connectionString: url, maxPoolSize: POOL_SIZE, logger }
  await runMigrations(options)
  const utils = await makeWorkerUtils(options)
  return {
    work: () => utils.addJob(TASK, SAMPLE_REQUEST),
    [Symbol.asyncDispose]: async () => utils.release(),
  }
}

/** Adds jobs and works on as many at once. */
export async function openGraphile(database: Database, inFlight: number): Promise<Graphile> {
  /** What waits to hear that its job has run. */
  const waiting = new Map<string, () => void>()
  const options: RunnerOptions = {
    connectionString: database.url,
    logger,
    noHandleSignals: true,
    parsedCronItems: [],
    taskList: { [TASK]: () => {} },
    preset: {
      worker: {
        // One more, since it holds one to listen on.
        maxPoolSize: POOL_SIZE + 1,
        concurrentJobs: inFlight,
        localQueue: { size: inFlight },
        completeJobBatchDelay: 0,
      },
    },
  }
  await runMigrations(options)
  const runner = await run(options)
  runner.events.on("job:complete", ({ job }: { job: Pick<Job, "id"> }) => {
    const ran = waiting.get(job.id)
    waiting.delete(job.id)
    // It may have run before its insert was heard of.
    if (ran === undefined) waiting.set(job.id, () => {})
    else ran()
  })
  return {
    async work() {
      const { id } = await runner.addJob(TASK, SAMPLE_REQUEST)
      if (waiting.delete(id)) return
      await new Promise<void>((resolve) => waiting.set(id, resolve))
    },
    async settle() {
      const text = "select exists (select from graphile_worker._private_jobs) as left"
      while ((await database.query(text))["left"] === true);
    },
    async [Symbol.asyncDispose]() {
      await runner.stop()
    },
  }
}
