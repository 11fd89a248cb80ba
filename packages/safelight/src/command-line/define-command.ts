/**
 * A command, described once: its name, its arguments and options, and what it does. Its help, its parsing and the
 * types of what `run` gets follow from the description. A command is a file in `commands` that exports it as
 * `command`, and a line of `commands.ts`.
 */
import { Command } from "commander"
import type { CommandContext } from "./command-context.ts"
import type { DefinedArgument, DefinedOption } from "./parameters.ts"

type Arguments = Readonly<Record<string, DefinedArgument<unknown>>>
type Options = Readonly<Record<string, DefinedOption<unknown>>>

type ValueOf<Parameter> = Parameter extends { readonly of?: infer Value } ? Value : never

/** By the names of the parameters; a value that may be absent is an optional member. */
export type ValuesOf<Parameters> = {
  readonly [
    Name in keyof Parameters as undefined extends ValueOf<Parameters[Name]> ? never : Name
  ]: ValueOf<Parameters[Name]>
} & {
  readonly [
    Name in keyof Parameters as undefined extends ValueOf<Parameters[Name]> ? Name : never
  ]?: Exclude<ValueOf<Parameters[Name]>, undefined>
}

export interface CommandDefinition<Own extends Arguments, Given extends Options> {
  /** As it is typed: `keys revoke`. */
  readonly name: string
  readonly description: string
  /** In their order, by the names that the help shows. */
  readonly arguments?: Own
  /** In the order of the help. */
  readonly options?: Given
  readonly run: (call: {
    readonly arguments: ValuesOf<Own>
    readonly options: ValuesOf<Given>
    readonly context: CommandContext
  }) => Promise<void>
}

export interface DefinedCommand {
  readonly name: string
  readonly toCommand: (context: CommandContext) => Command
}

export function defineCommand<
  const Own extends Arguments = Record<string, never>,
  const Given extends Options = Record<string, never>,
>(definition: CommandDefinition<Own, Given>): DefinedCommand {
  const { description, name, run } = definition
  const ownArguments: Arguments = definition.arguments ?? {}
  const options: Options = definition.options ?? {}
  return {
    name,
    toCommand(context) {
      const command = new Command(name.split(" ").at(-1)).description(description)
      const names = Object.keys(ownArguments)
      for (const [key, each] of Object.entries(ownArguments)) {
        command.addArgument(each.toArgument(key))
      }
      for (const [key, each] of Object.entries(options)) command.addOption(each.toOption(key))
      return command.action(async () => {
        // Commander has parsed them by the definitions from which the types follow.
        const values = names.map((key, index) => [key, command.processedArgs[index]] as const)
        const given = Object.fromEntries(values) as ValuesOf<Own>
        await run({ arguments: given, options: command.opts() as ValuesOf<Given>, context })
      })
    },
  }
}
