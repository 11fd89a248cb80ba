/**
 * A line of an export as a record, each member checked: the file comes from outside, and what is wrong
 * in it must not come to light halfway through an import. A refusal names the member and never says
 * its value, since an export holds prompts and secrets.
 */
import { parseJson, toPredicate } from "@safelight/core"
import * as v from "valibot"
import { exportRecord, refused, type ExportRecord } from "./export-format.ts"

/** Copies nothing. Valibot's own output cost a fifth of reading an export; it says what is wrong. */
const fits = toPredicate(exportRecord)

/** Throws `export-refused`. */
export function parseRecord(line: string): ExportRecord {
  const value = parseJson(line)
  if (value === undefined) throw refused("it is not JSON")
  if (fits(value)) return value as unknown as ExportRecord
  throw refused(explain(value))
}

/** Stops at the first fault, so that a line of faults costs no more than one. */
function explain(value: unknown): string {
  const [issue] = v.safeParse(exportRecord, value, { abortEarly: true }).issues ?? []
  // The name of a member that is not known is the file's own, and not repeated.
  const path = (issue?.path ?? []).slice(0, issue?.expected === "never" ? -1 : undefined)
  const member = path.map(({ key }) => String(key)).join(".")
  const subject = member === "" ? "the record" : `"${member}"`
  return `${subject} is not ${issue?.message ?? "what an export holds"}`
}
