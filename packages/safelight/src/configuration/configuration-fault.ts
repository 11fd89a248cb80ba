/**
 * A configuration error in one line: the source, the field, what was expected. The value is not repeated, since
 * it may be a secret in the wrong place.
 */
import { SafelightError } from "@safelight/core"
import type * as v from "valibot"

/** `source` is a flag, a variable or a file's path. */
export function toConfigurationError(
  source: string,
  issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
): SafelightError {
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""
  return configurationError(`${source}: ${toWords(first)}${more}`)
}

export function configurationError(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message, cause })
}

function toWords(issue: v.BaseIssue<unknown>): string {
  const path = toPath(issue.path ?? [])
  if (issue.type === "strict_object" && issue.expected === "never") return `unknown field "${path}"`
  const words = issue.expected === "Object" ? "expected an object" : issue.message
  return path === "" ? words : `${path}: ${words}`
}

/** `prices[0].models`, as it would be written in JavaScript. */
function toPath(items: readonly v.IssuePathItem[]): string {
  return items.reduce((path, { key }) => {
    if (typeof key === "number") return `${path}[${key}]`
    return path === "" ? String(key) : `${path}.${String(key)}`
  }, "")
}
