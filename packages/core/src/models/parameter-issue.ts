/**
 * What is wrong with a request, in the vocabulary of http-decisions §2. `param` uses the
 * specification's own path form: `parameters.colors[1].g`.
 */
import type * as v from "valibot"
import { toEcho } from "../keys/hide-secrets.ts"

export type ParameterIssueCode =
  | "missing_required_parameter"
  | "unknown_parameter"
  | "invalid_type"
  | "invalid_value"
  | "invalid_url"
  | "url_not_allowed"
  | "invalid_data_url"
  | "string_above_max_length"
  | "string_below_min_length"
  | "array_above_max_length"
  | "array_below_min_length"
  | "integer_above_max_value"
  | "integer_below_min_value"

export interface ParameterIssue {
  readonly param: string
  readonly code: ParameterIssueCode
  readonly message: string
}

type Issue = v.BaseIssue<unknown>
type Explanation = readonly [ParameterIssueCode, string]

/** Explains by validation type; what is absent here is a wrong JSON type. */
const EXPLANATIONS: Readonly<Record<string, (issue: Issue) => Explanation>> = {
  picklist: explainChoice,
  enum: explainChoice,
  literal: explainChoice,
  well_formed: () => ["invalid_value", "must not hold a lone surrogate"],
  max_code_points: (issue) => ["string_above_max_length", mustHave("at most", issue, "character")],
  min_code_points: (issue) => ["string_below_min_length", mustHave("at least", issue, "character")],
  max_length: (issue) =>
    typeof issue.input === "string"
      ? ["string_above_max_length", mustHave("at most", issue, "character")]
      : ["array_above_max_length", mustHave("at most", issue, "item")],
  min_length: (issue) =>
    typeof issue.input === "string"
      ? ["string_below_min_length", mustHave("at least", issue, "character")]
      : ["array_below_min_length", mustHave("at least", issue, "item")],
  max_value: (issue) => ["integer_above_max_value", `must be at most ${String(issue.requirement)}`],
  min_value: (issue) => [
    "integer_below_min_value",
    `must be at least ${String(issue.requirement)}`,
  ],
  integer: () => ["invalid_type", "must be an integer"],
  safe_integer: () => ["invalid_type", "must be an integer"],
  gt_value: (issue) => ["invalid_value", `must be above ${String(issue.requirement)}`],
  lt_value: (issue) => ["invalid_value", `must be below ${String(issue.requirement)}`],
  multiple_of: (issue) => ["invalid_value", `must be a multiple of ${String(issue.requirement)}`],
  regex: (issue) => ["invalid_value", `must match ${String(issue.requirement)}`],
  format: (issue) => ["invalid_value", `must be ${String(issue.requirement)}`],
  unique_items: () => ["invalid_value", "must not have an item twice"],
  one_of: explainForms,
  invalid_url: () => ["invalid_url", "must be a valid http or https URL"],
  url_not_allowed: () => ["url_not_allowed", "must be an http or https URL without credentials"],
  url_too_long: (issue) => ["string_above_max_length", mustHave("at most", issue, "character")],
  invalid_data_url: () => ["invalid_data_url", "must be a base64 data URL of a supported type"],
  data_url_too_large: (issue) => [
    "invalid_data_url",
    `must hold at most ${String(issue.requirement)} bytes`,
  ],
  strict_object: explainMember,
}

/** The issue of a valibot check in our vocabulary; `root` names what was checked, `""` a whole body. */
export function toParameterIssue(root: string, issue: Issue): ParameterIssue {
  const param = toPath(root, issue)
  const explain = EXPLANATIONS[issue.type] ?? ((): Explanation => explainType(issue))
  const [code, words] = explain(issue)
  return { param, code, message: `${param} ${words}.` }
}

function mustHave(
  bound: "at least" | "at most",
  { requirement }: Issue,
  what: "character" | "item",
): string {
  return `must have ${bound} ${String(requirement)} ${what}${requirement === 1 ? "" : "s"}`
}

function explainMember(issue: Issue): Explanation {
  if (issue.expected === "never") return ["unknown_parameter", "is not a known parameter"]
  return explainType(issue)
}

/** A value that may have several forms. */
function explainForms(issue: Issue): Explanation {
  if (issue.requirement === "several") {
    return ["invalid_value", "must have one of the forms that it may have, and has several"]
  }
  if (issue.requirement === "none") {
    return ["invalid_value", "must have one of the forms that it may have"]
  }
  return explainType(issue)
}

function explainType(issue: Issue): Explanation {
  // A check of a value that has its type: a host's own model may have any.
  if (issue.kind === "validation") {
    const what = issue.expected ?? `what ${issue.type.replaceAll("_", " ")} takes`
    return ["invalid_value", `must be ${what}`]
  }
  if (issue.input === undefined) return ["missing_required_parameter", "is required"]
  const expected = issue.expected?.toLowerCase() ?? "another type"
  const article = /^[aeio]/.test(expected) ? "an" : "a"
  return ["invalid_type", `must be ${article} ${expected}`]
}

/** A value of the right JSON type that is not among those allowed, or one of another type. */
function explainChoice(issue: Issue): Explanation {
  const allowed = issue.expected?.replace(/^\(|\)$/g, "").replaceAll(" | ", ", ") ?? ""
  const isTyped = typeof issue.input === toTypeName(allowed)
  const words = allowed.includes(", ") ? `must be one of ${allowed}` : `must be ${allowed}`
  return [isTyped ? "invalid_value" : "invalid_type", words]
}

/** Of the first value that is allowed, as valibot spells it. */
function toTypeName(allowed: string): string {
  if (allowed.startsWith('"')) return "string"
  return /^(?:true|false)\b/.test(allowed) ? "boolean" : "number"
}

/** Without a root the path begins with the member's name. */
function toPath(root: string, issue: Issue): string {
  const keys = issue.path?.map((item) => item.key) ?? []
  return keys.reduce<string>((path, key) => {
    if (typeof key === "number") return `${path}[${key}]`
    return `${path}${path === "" ? "" : "."}${toEcho(String(key))}`
  }, root)
}
