/**
 * The `--parameters` of a submission: JSON itself, `@file`, or `-` for standard input. It is only
 * checked to be JSON; the text goes out as written, so that nothing is lost or rounded on the way.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { text as readStream } from "node:stream/consumers"
import { refused } from "../command-error.ts"
import type { CommandContext } from "../commands/command-context.ts"

/** What a command knows of its process. */
type Source = Pick<CommandContext, "folder" | "input">

/** Resolves to JSON text. */
export async function readParameters(argument: string, source: Source): Promise<string> {
  const text = (await readText(argument, source)).replace(/^\uFEFF/, "")
  try {
    JSON.parse(text)
  } catch (cause) {
    throw refused(`--parameters: ${toSourceName(argument)} is not JSON`, cause)
  }
  return text
}

async function readText(argument: string, { folder, input }: Source): Promise<string> {
  if (argument === "-") return readStream(input)
  if (!argument.startsWith("@")) return argument
  try {
    return await readFile(resolve(folder, argument.slice(1)), "utf8")
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refused(`--parameters: ${argument.slice(1)} can't be read (${code})`, cause)
  }
}

function toSourceName(argument: string): string {
  if (argument === "-") return "standard input"
  return argument.startsWith("@") ? argument.slice(1) : "the argument"
}
