/** What happened to a task in this process's hands is written down until the engine ends. */
import type { Input, TaskCommand } from "@safelight/core"
import type { Context } from "./context.ts"
import { advance, type StepResult, type Work } from "./work.ts"

/** Appends the commands in order, whoever has the claim by now, and takes over what was recorded. */
export async function recordFact(
  { recorder }: Pick<Context, "recorder">,
  work: Work,
  commands: readonly TaskCommand[],
  inputs: readonly Input[] = [],
): Promise<StepResult> {
  const { signal } = work.ending
  return advance(work, await recorder.recordFact(work.head, commands, { inputs, signal }))
}
