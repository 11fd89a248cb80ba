/**
 * What a channel threw by a mistake of its own code, in a form that may be logged. The words of such an
 * error may hold anything that the code had in hand, such as the prompt, the provider's answer or its
 * key; where it was thrown, and as what, is logged.
 */
import { isSafelightError } from "@safelight/core"

/** The error itself where it is one of ours, whose words are for people. */
export function toChannelFault(error: unknown): Error {
  if (isSafelightError(error)) return error
  const fault = new Error(`the channel threw ${toKind(error)}`)
  fault.stack = [`${fault.name}: ${fault.message}`, ...listFrames(error)].join("\n")
  return fault
}

/** The rejection of the call, as `toChannelFault` has it. */
export async function callSafely<Result>(call: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw toChannelFault(error)
  }
}

/** A name is an identifier, and no text of another author. */
function toKind(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error}`
  return /^\w{1,60}$/.test(error.name) ? error.name : "Error"
}

/** A stack begins with the message, which may look like a frame. */
function listFrames(error: unknown): readonly string[] {
  if (!(error instanceof Error) || error.stack === undefined) return []
  const { message, stack } = error
  const start = stack.indexOf(message)
  if (start < 0) return []
  return stack
    .slice(start + message.length)
    .split("\n")
    .filter((line) => line.startsWith("    at "))
}
