/** The command line, put together of the commands that its words may mean. */
import { hideSecrets } from "@safelight/core"
import { Command } from "commander"
import type { CommandContext } from "./command-line/command-context.ts"
import type { DefinedCommand } from "./command-line/define-command.ts"
import { COMMANDS, GROUPS } from "./commands.ts"
import { formatOneLine } from "./text/one-line.ts"
import { hidePasswords } from "./errors/hide-passwords.ts"

export interface ProgramOptions {
  readonly context: CommandContext
  readonly version: string
  /** Without the interpreter and the script: the command that they name is the only one that is loaded. */
  readonly words: readonly string[]
}

/** The program. On wrong usage it prints one line and throws commander's error. */
export async function createProgram(options: ProgramOptions): Promise<Command> {
  const { context, version, words } = options
  const program = new Command("safelight")
    .description("images and video, made asynchronously behind one task API")
    .version(version)
  for (const defined of await loadCommands(words)) {
    toGroup(program, defined.name.split(" ").slice(0, -1)).addCommand(defined.toCommand(context))
  }
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => context.print(text),
      writeErr: (text) => context.printError(text),
      outputError: writeOneLine,
    })
  }
  return program
}

/** The one that the words begin with. If there is none, all of them, for the help and for a mistyped name. */
async function loadCommands(words: readonly string[]): Promise<readonly DefinedCommand[]> {
  // The longer name first: "models check" is a command, and so is "models" with a model.
  const named = [3, 2, 1].map((count) => words.slice(0, count).join(" "))
  const name = named.find((each) => Object.hasOwn(COMMANDS, each))
  const wanted = Object.entries(COMMANDS).filter(
    // With those below it, for its help.
    ([each]) => name === undefined || each === name || each.startsWith(`${name} `),
  )
  return Promise.all(wanted.map(async ([, load]) => (await load()).command))
}

/** The command that holds the group: `audit keys` is a group of `audit`. */
function toGroup(program: Command, words: readonly string[]): Command {
  return words.reduce((parent, word, place) => {
    const made = parent.commands.find((each) => each.name() === word)
    const name = words.slice(0, place + 1).join(" ")
    return made ?? parent.command(word).description(GROUPS[name] ?? "")
  }, program)
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)]
}

function writeOneLine(text: string, write: (text: string) => void): void {
  const line = formatOneLine(text.replace(/^error: /, ""))
  write(`safelight: ${hidePasswords(hideSecrets(line))}\n`)
}
