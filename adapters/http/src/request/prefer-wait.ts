/**
 * `Prefer: wait=N` (RFC 7240 §4.3): how long the caller would wait for the end of a task. A preference that is
 * malformed or unknown is ignored, as the RFC has it, and so nothing is ever refused here.
 */
import type { HeaderParameter } from "./header-parameters.ts"

/** Common proxies and load balancers give up on an answer not much later. */
export const MOST_WAIT_SECONDS = 60

/** One preference, up to the comma after it: commas within quotes are its own. */
const PREFERENCES = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const WAIT = /^\s*wait\s*(?:[=;]|$)/i
const WAIT_SECONDS = /^\s*wait\s*=\s*(?:"(\d{1,9})"|(\d{1,9}))\s*(?:;.*)?$/i
/** No caller has as much to say. */
const MOST_CHARACTERS = 1_000

/** Seconds, at most `MOST_WAIT_SECONDS`; undefined if the caller asks for no wait. */
export const preferWait: HeaderParameter<number | undefined> = {
  description:
    "`wait=N` answers as soon as the task is finished, or N seconds later as it is then; a longer time " +
    `than ${MOST_WAIT_SECONDS} seconds counts as that. Other preferences are ignored (RFC 7240).`,
  schema: { type: "string", examples: ["wait=30"] },
  refusals: [],
  absent: undefined,
  parse: parseSeconds,
}

/** Of several `wait` the first one counts (RFC 7240 §2). */
function parseSeconds(sent: string): number | undefined {
  if (sent.length > MOST_CHARACTERS) return undefined
  const wait = sent.match(PREFERENCES)?.find((preference) => WAIT.test(preference))
  const [, quoted, plain] = WAIT_SECONDS.exec(wait ?? "") ?? []
  const seconds = quoted ?? plain
  return seconds === undefined ? undefined : Math.min(Number(seconds), MOST_WAIT_SECONDS)
}
