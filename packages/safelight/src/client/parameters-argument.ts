/**
 * The parameters of a submission or a quote: JSON itself, `@file`, or `-` for standard input. It is only checked to
 * be JSON. The text is sent as written, so that nothing is lost or rounded.
 */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { text as readStream } from "node:stream/consumers"
import { refused } from "../errors/command-error.ts"
import type { CommandContext } from "../command-line/command-context.ts"

/** What a command knows of its process. */
type Source = Pick<CommandContext, "folder" | "input">

/**
 * Resolves to JSON text. Rejects with a `CommandError` if it is none, or can't be read; `name` is that of the
 * argument.
 */
export async function readParameters(
  argument: string,
  source: Source,
  name: string,
): Promise<string> {
  const text = (await readText(argument, source, name)).replace(/^\uFEFF/, "")
  try {
    JSON.parse(text)
  } catch (cause) {
    throw refused(`${name}: ${toSourceName(argument)} is not JSON`, cause)
  }
  return text
}

async function readText(
  argument: string,
  { folder, input }: Source,
  name: string,
): Promise<string> {
  if (argument === "-") return readStream(input)
  if (!argument.startsWith("@")) return argument
  try {
    return await readFile(resolve(folder, argument.slice(1)), "utf8")
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refused(`${name}: ${argument.slice(1)} can't be read (${code})`, cause)
  }
}

function toSourceName(argument: string): string {
  if (argument === "-") return "standard input"
  return argument.startsWith("@") ? argument.slice(1) : "the argument"
}
