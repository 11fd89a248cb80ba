/**
 * The messages of a process, checked: hostile media may have taken it over. Only the fields named here are
 * passed on, and a code only if a program of ours would send it.
 */
import { isWorkRefusal, type WorkerMessage, type WorkResult } from "./rendering-job.ts"

type Fields = Readonly<Record<string, unknown>>

/** As long as an error's name and its frames may be. */
const MOST_DETAIL_CHARACTERS = 2_000

/** Undefined if no program of ours would send it. */
export function parseMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== "object" || message === null) return undefined
  const fields = message as Fields
  switch (fields["kind"]) {
    case "reading":
    case "painting":
      return { kind: fields["kind"] }
    case "progress":
      return isCount(fields["progress"])
        ? { kind: "progress", progress: fields["progress"] }
        : undefined
    default:
      return parseResult(fields)
  }
}

function parseResult({ kind, ...fields }: Fields): WorkResult | undefined {
  const { code, detail } = fields
  switch (kind) {
    case "rendered":
      return { kind }
    case "refused":
      return isWorkRefusal(code) ? { kind, code } : undefined
    case "unavailable":
    case "broken":
      if (typeof detail !== "string") return undefined
      return { kind, detail: detail.slice(0, MOST_DETAIL_CHARACTERS) }
    default:
      return undefined
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
