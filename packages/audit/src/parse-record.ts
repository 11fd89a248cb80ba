/**
 * A line of an export as a record, each member checked: the file comes from outside, and what is wrong
 * in it must not come to light halfway through an import. A refusal names the member and never says
 * its value, since an export holds prompts and secrets.
 */
import * as v from "valibot"
import { exportRecord, refused, type ExportRecord } from "./export-format.ts"

/** Throws `export-refused`. Stops at the first fault, so that a line of faults costs no more than one. */
export function parseRecord(line: string): ExportRecord {
  const parsed = v.safeParse(exportRecord, parseJson(line), { abortEarly: true })
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  // Every key of the path is one that a schema names, or a place in a list.
  const member = v.getDotPath(issue)
  const subject = member === null ? "the record" : `"${member}"`
  throw refused(`${subject} is not ${issue.message}`)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The engine's own words quote the line, and it may hold a prompt.
    throw refused("it is not JSON")
  }
}
