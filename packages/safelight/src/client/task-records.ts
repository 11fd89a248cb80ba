/**
 * What the service answers, as far as the command reads it (specification §2). Answers come from
 * outside: they are checked here once, members that are not known are kept for `--json`.
 */
import * as v from "valibot"

const failure = v.looseObject({ message: v.string(), type: v.string(), code: v.string() })

export const taskRecord = v.looseObject({
  task_id: v.pipe(v.string(), v.nonEmpty()),
  model: v.string(),
  status: v.string(),
  progress: v.number(),
  created_at: v.number(),
  finished_at: v.number(),
  error: v.nullable(failure),
})

export type TaskRecord = v.InferOutput<typeof taskRecord>

export const taskList = v.looseObject({
  tasks: v.array(taskRecord),
  /** Where the list goes on; null at its end. */
  next_cursor: v.nullable(v.string()),
})

export type TaskList = v.InferOutput<typeof taskList>

const artifactRecord = v.looseObject({
  key: v.pipe(v.string(), v.nonEmpty()),
  type: v.string(),
  mime_type: v.string(),
  content_url: v.string(),
  /** Whole seconds; some older results omit it. */
  expires_at: v.optional(v.number()),
})

export type ArtifactRecord = v.InferOutput<typeof artifactRecord>

export const artifactList = v.looseObject({
  task_id: v.string(),
  artifacts: v.array(artifactRecord),
})

/** The body of every refusal (specification §7). */
export const errorBody = v.looseObject({ error: failure })

export function isFinished({ status }: Pick<TaskRecord, "status">): boolean {
  return status === "succeeded" || status === "failed"
}
