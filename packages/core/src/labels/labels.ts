/**
 * Labels: what an account writes on a task to find it again and to add up its cost, `project=spring`. A
 * person wrote them, so they are a side record: no event holds them, and they can be erased. Sums of the bill go
 * by them, so they outlive the prompt: only erasing the task erases them. They stay as they were
 * submitted, and nothing that is done for the task depends on them.
 */

/** Values by key. */
export type Labels = Readonly<Record<string, string>>

/** Enough for project, team, customer and run; each is a row of its own in the database. */
export const MAX_LABELS = 10

export const MAX_LABEL_VALUE_CHARACTERS = 200

/** The first character keeps `__proto__` out of whatever object a reader makes of labels. */
const KEY = /^[a-z0-9][a-z0-9_.-]{0,39}$/

/** Printable ASCII: what a header can carry as it is. */
const VALUE = /^[ -~]*$/

/** Why labels are not accepted, as words for their author; undefined if they are. */
export function findLabelFault(labels: Labels): string | undefined {
  const entries = Object.entries(labels)
  if (entries.length > MAX_LABELS) return `a task has at most ${MAX_LABELS} labels`
  for (const [key, value] of entries) {
    const fault = findKeyFault(key) ?? findValueFault(key, value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function findKeyFault(key: string): string | undefined {
  if (KEY.test(key)) return undefined
  return "a label's key is 1 to 40 of the characters a-z, 0-9, _, . and -, a letter or digit first"
}

function findValueFault(key: string, value: unknown): string | undefined {
  const isValue = typeof value === "string" && value.length <= MAX_LABEL_VALUE_CHARACTERS
  if (isValue && VALUE.test(value)) return undefined
  return `the value of label ${key} is up to ${MAX_LABEL_VALUE_CHARACTERS} printable ASCII characters`
}

/** Each label as `key=value`, in the order of keys: no key holds a `=`. */
export function toLabelTexts(labels: Labels): string[] {
  const keys = Object.keys(labels).toSorted()
  return keys.map((key) => `${key}=${labels[key]}`)
}

/** From such texts. */
export function fromLabelTexts(texts: readonly string[]): Labels {
  return Object.fromEntries(texts.map(splitLabel))
}

/** Key and value at the first `=`; the value is empty if there is none. */
export function splitLabel(text: string): readonly [key: string, value: string] {
  const [key = ""] = text.split("=", 1)
  return [key, text.slice(key.length + 1)]
}
