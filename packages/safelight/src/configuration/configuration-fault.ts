/**
 * A configuration error in one line: the source, the field, what was expected. The value is not repeated, since
 * it may be a secret in the wrong place.
 */
import { isSafelightError, SafelightError } from "@safelight/core"
import type * as v from "valibot"

/** `source` is a flag, a variable or a file's path. */
export function toConfigurationError(
  source: string,
  issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
): SafelightError {
  const [first, ...others] = issues.map((issue) => `${source}: ${toWords(issue)}`)
  const more = others.length > 0 ? ` (and ${others.length} more)` : ""
  const all = new ConfigurationFaults([first ?? "", ...others])
  return configurationError(`${first}${more}`, all)
}

/** The cause of an error that names only the first of them. */
class ConfigurationFaults extends Error {
  override readonly name = "ConfigurationFaults"
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join("; "))
    this.faults = faults
  }
}

/** All that an error of a configuration says is wrong, each in words for people. */
export function listFaults(error: unknown): readonly string[] {
  if (!isSafelightError(error) || error.code !== "invalid-configuration") throw error
  return error.cause instanceof ConfigurationFaults ? error.cause.faults : [error.message]
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
