/**
 * Labels in a request: the header `Safelight-Label` of a creation, and the parameter `label` of a query.
 * The header is a list (RFC 9110 §5.6.1), so that sending it twice and separating with commas are the same,
 * as `Headers` joins one into the other anyway: `project=spring, customer="Dupont, Paris"`. A value is quoted
 * (§5.6.4) if it holds a comma or a quote, or begins or ends with a space.
 */
import { findLabelFault, MAX_LABELS, splitLabel, type Labels } from "@safelight/core"
import { toRefuse } from "../errors/refusal.ts"
import type { HeaderParameter } from "./header-parameters.ts"
import type { Parsed, QueryParameter } from "./query-parameters.ts"

const REFUSALS = ["invalid_label"] as const
const refuse = toRefuse(REFUSALS)

const RULE =
  `At most ${MAX_LABELS}; a key is 1 to 40 of \`a-z 0-9 _ . -\`, a letter or digit first, and stands ` +
  "once; a value is up to 200 printable ASCII characters, and may be empty."

/** Undefined if none was sent. */
export const labelHeader: HeaderParameter<Labels | undefined> = {
  description:
    "`key=value`, to find the task by and to add up what tasks cost. Send it once for each label, or " +
    `several separated by commas, a value with a comma in quotes. ${RULE} Labels are kept as long ` +
    "as the bill, and are no part of what an `Idempotency-Key` stands for.",
  schema: { type: "string" },
  refusals: REFUSALS,
  absent: undefined,
  parse(sent) {
    const members = splitList(sent)
    if (members?.length === 0) return undefined
    const read = toLabels(members)
    if (typeof read === "string") throw refuse("invalid_label", { message: toLabelMessage(read) })
    return read
  },
}

/** `label=k=v`, as often as there are labels to look for. */
export function labelFilter(description: string): QueryParameter<Labels, undefined> {
  return {
    description: `${description} \`key=value\`; given several times, all of them must hold.`,
    schema: { type: "array", items: { type: "string" }, maxItems: MAX_LABELS },
    refusals: ["invalid_value"],
    parse: (text, name) => parseList([text], name),
    parseList,
    absent: undefined,
  }
}

function parseList(texts: readonly string[], name: string): Parsed<Labels> {
  const read = toLabels(texts)
  if (typeof read !== "string") return { value: read }
  return { fault: { code: "invalid_value", message: `${name}: ${read}.` } }
}

export function toLabelMessage(fault: string): string {
  return `Safelight-Label: ${fault}.`
}

/** Or the words for what is wrong. */
function toLabels(texts: readonly string[] | undefined): Labels | string {
  if (texts === undefined) return "a quote is not closed, or stands inside of a value"
  const entries = texts.map(splitLabel)
  if (!texts.every((text) => text.includes("="))) return "a label is written key=value"
  const labels = Object.fromEntries(entries)
  const fault = findLabelFault(labels)
  if (fault !== undefined) return fault
  // After the fault, which is what tells that the keys may be named in a message.
  const twice = entries.find(([key], index) => entries.findIndex(([each]) => each === key) < index)
  return twice === undefined ? labels : `the key ${twice[0]} stands twice`
}

/** A whole quoted string, what is neither quote nor comma, and either of those alone. */
const PARTS = /"(?:[^"\\]|\\.)*"|[^",]+|[",]/g
const QUOTED = /^([^"=]*=)"(.*)"$/

/** The members of a list without the empty ones; undefined if its quotes make no sense. */
function splitList(text: string): string[] | undefined {
  const members = [""]
  for (const [part] of text.matchAll(PARTS)) {
    if (part === '"') return undefined
    if (part === ",") members.push("")
    else members.push(`${members.pop() ?? ""}${part}`)
  }
  const trimmed = members.map((member) => member.trim()).filter((member) => member !== "")
  const unquoted = trimmed.map(unquote)
  return unquoted.every((member) => member !== undefined) ? unquoted : undefined
}

function unquote(member: string): string | undefined {
  if (!member.includes('"')) return member
  const [, start, inner = ""] = QUOTED.exec(member) ?? []
  // Two quoted strings in one value.
  if (start === undefined || /(?:^|[^\\])(?:\\\\)*"/.test(inner)) return undefined
  return `${start}${inner.replaceAll(/\\(.)/g, "$1")}`
}
