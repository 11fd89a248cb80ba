/**
 * The messages that sources log, read from their text: what the page for operators lists. A message is
 * the literal that ends the call; fields are known where they stand in the call or in a constant of
 * the same file, and what is spread into them is not.
 */
import { findSources, read } from "./workspaces.ts"

export interface LoggedMessage {
  readonly path: string
  /** Empty where the call has no literal. */
  readonly message: string
  readonly levels: readonly string[]
  readonly fields: readonly string[]
}

const CALL = /\blog\??(?:\.(info|warn|error)|\[([^\]]+)\])\(/g
/** What passes messages on writes none of its own. */
const WRITERS = [
  "packages/core/src/errors/error-log.ts",
  "packages/safelight/src/service/json-log.ts",
  "packages/safelight/src/metrics/observe-log.ts",
]

export function findLoggedMessages(): LoggedMessage[] {
  return findSources()
    .filter((path) => !WRITERS.includes(path))
    .flatMap((path) => parseLoggedMessages(path, read(path)))
}

export function parseLoggedMessages(path: string, source: string): LoggedMessage[] {
  return [...source.matchAll(CALL)].map((call) => {
    const [whole, level, choice = ""] = call
    const words = readBracket(source, call.index + whole.length - 1)
    return {
      path,
      message: /"([^"\n]*)",?\s*$/.exec(words)?.[1] ?? "",
      levels:
        level === undefined ? Array.from(choice.matchAll(/"(\w+)"/g), ([, x = ""]) => x) : [level],
      fields: findFields(source, words.trim(), call.index),
    }
  })
}

/** What stands between the bracket at `from` and the one that closes it. */
function readBracket(source: string, from: number): string {
  let depth = 0
  for (let at = from; at < source.length; at += 1) {
    if ("([{".includes(source[at] ?? "")) depth += 1
    if (")]}".includes(source[at] ?? "")) depth -= 1
    if (depth === 0) return source.slice(from + 1, at)
  }
  return ""
}

function findFields(source: string, words: string, before: number): string[] {
  if (words.startsWith("{")) return listMembers(readBracket(words, 0))
  const name = /^\w+/.exec(words)?.[0] ?? ""
  const constant = `const ${name} = {`
  const at = source.lastIndexOf(constant, before)
  return at === -1 ? [] : listMembers(readBracket(source, at + constant.length - 1))
}

function listMembers(text: string): string[] {
  let flat = ""
  let depth = 0
  for (const letter of text) {
    if (")]}".includes(letter)) depth -= 1
    if (depth === 0) flat += letter
    if ("([{".includes(letter)) depth += 1
  }
  return flat.split(",").flatMap((member) => /^\s*(\w+)\s*(?::|$)/.exec(member)?.[1] ?? [])
}
