/**
 * A line of an export as a record, each member checked: the file comes from outside, and what is wrong
 * in it must not come to light halfway through an import. A refusal names the member and never says
 * its value, since an export holds prompts and secrets.
 */
import { toPredicate } from "@safelight/core"
import * as v from "valibot"
import { exportRecord, refused, type ExportRecord } from "./export-format.ts"

/** Copies nothing. Valibot's own output cost a fifth of reading an export; it says what is wrong. */
const fits = toPredicate(exportRecord)

/** Throws `export-refused`. */
export function parseRecord(line: string): ExportRecord {
  const value = parseJson(line)
  if (fits(value)) return value as ExportRecord
  throw refused(explain(value))
}

/** Stops at the first fault, so that a line of faults costs no more than one. */
function explain(value: unknown): string {
  const [issue] = v.safeParse(exportRecord, value, { abortEarly: true }).issues ?? []
  // The name of a member that is not known is the stranger's own, and not repeated.
  const path = (issue?.path ?? []).slice(0, issue?.expected === "never" ? -1 : undefined)
  const member = path.map(({ key }) => String(key)).join(".")
  const subject = member === "" ? "the record" : `"${member}"`
  return `${subject} is not ${issue?.message ?? "what an export holds"}`
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The engine's own words quote the line, and it may hold a prompt.
    throw refused("it is not JSON")
  }
}
