/** Prints what a command found: as one line of JSON for scripts if `--json` was given, otherwise as text for people. */
import type { CommandContext } from "./command-context.ts"

export interface JsonOption {
  readonly json?: true
}

export function printResult(
  { json }: JsonOption,
  context: Pick<CommandContext, "print">,
  record: unknown,
  format: () => string,
): void {
  context.print(json === true ? `${JSON.stringify(record)}\n` : format())
}
