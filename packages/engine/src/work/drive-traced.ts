/**
 * A task in this process's hands as one span: from when it is taken until it ends or is let go. Each process
 * that has it makes one, all in the trace of the submission. Polls are counted in it, not spans of their own.
 */
import { traceCall } from "@safelight/core"
import type { Context } from "../host/context.ts"
import { findTraceparent } from "../record/trace-input.ts"
import { drive } from "./drive.ts"
import type { Work } from "./work.ts"

/** Never rejects, as `drive`. */
export async function driveTraced(context: Context, work: Work): Promise<void> {
  const { tracer } = context
  if (!tracer.isRecording()) return drive(context, work)
  const { model, state } = work.head.task
  const attributes = {
    "safelight.task.id": work.id,
    "safelight.model": model,
    "safelight.state.before": state,
  }
  // Whatever this process did when it took the task has another trace.
  const parent = work.traceparent ?? (await findTraceparent(context, work.id)) ?? null
  const start = { name: "work on task", kind: "consumer", parent, attributes } as const
  await traceCall(tracer, start, async (span) => {
    await drive(context, work)
    const { attempt, state: after } = work.head.task
    span?.set({ "safelight.state.after": after, "safelight.attempt": attempt })
  })
}
