/** What happened to a task in this process's hands is written down until the engine ends. */
import type { Input, TaskCommand } from "@safelight/core"
import type { Context } from "./context.ts"
import { reportRefused } from "./refused-fact.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** Appends the commands in order, whoever holds the task by now, and takes over what was recorded. */
export async function recordFact(
  context: Context,
  work: Work,
  commands: readonly TaskCommand[],
  inputs: readonly Input[] = [],
): Promise<StepResult> {
  const { signal } = work.ending
  const recorded = await context.recorder.recordFact(work.head, commands, { inputs, signal })
  if (recorded.kind === "refused") await reportRefused(context, work, commands, recorded)
  return advance(work, recorded)
}
