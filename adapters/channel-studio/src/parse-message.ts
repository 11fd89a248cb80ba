/**
 * What a process says, checked: hostile media may have taken it over. Only what is named here is
 * passed on, and a code only if a worker of ours would say it.
 */
import { isWorkRefusal, type WorkerMessage, type WorkResult } from "./rendering-job.ts"

type Said = Readonly<Record<string, unknown>>

/** As long as an error's name and its frames may be. */
const MOST_DETAIL_CHARACTERS = 2_000

/** What `message` says, or undefined where our own worker would not say it. */
export function parseMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== "object" || message === null) return undefined
  const said = message as Said
  switch (said["kind"]) {
    case "reading":
    case "painting":
      return { kind: said["kind"] }
    case "progress":
      return isCount(said["progress"])
        ? { kind: "progress", progress: said["progress"] }
        : undefined
    default:
      return parseResult(said)
  }
}

function parseResult({ kind, ...said }: Said): WorkResult | undefined {
  const { code, detail } = said
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
