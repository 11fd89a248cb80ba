/**
 * The `--parameters` of a submission: JSON itself, `@file`, or `-` for standard input. It is only
 * checked to be JSON; the text goes out as written, so that nothing is lost or rounded on the way.
 */
import { readFile } from "node:fs/promises"
import { text as readStream } from "node:stream/consumers"
import { refused } from "../command-error.ts"

/** Resolves to JSON text. */
export async function readParameters(
  argument: string,
  standardInput: NodeJS.ReadableStream,
): Promise<string> {
  const text = (await readText(argument, standardInput)).replace(/^\uFEFF/, "")
  try {
    JSON.parse(text)
  } catch (cause) {
    throw refused(`--parameters: ${toSourceName(argument)} is not JSON`, cause)
  }
  return text
}

async function readText(argument: string, standardInput: NodeJS.ReadableStream): Promise<string> {
  if (argument === "-") return readStream(standardInput)
  if (!argument.startsWith("@")) return argument
  try {
    return await readFile(argument.slice(1), "utf8")
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw refused(`--parameters: ${argument.slice(1)} can't be read (${code})`, cause)
  }
}

function toSourceName(argument: string): string {
  if (argument === "-") return "standard input"
  return argument.startsWith("@") ? argument.slice(1) : "the argument"
}
