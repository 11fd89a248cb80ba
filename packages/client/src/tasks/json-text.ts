/**
 * Parameters that are JSON text already. The text is sent as it stands: parsing and serialising it again
 * would change large numbers and hide members that stand twice, which the service refuses.
 */

const TEXT = Symbol.for("@safelight/client/json-text")

export interface JsonText {
  readonly [TEXT]: string
}

/** Throws a `TypeError`, without the text, if it is not JSON. */
export function jsonText(text: string): JsonText {
  try {
    JSON.parse(text)
  } catch {
    throw new TypeError("jsonText: expected JSON")
  }
  return { [TEXT]: text }
}

/** The JSON of any parameters. */
export function toJsonText(parameters: unknown): string {
  const isText = typeof parameters === "object" && parameters !== null && TEXT in parameters
  return isText ? (parameters as JsonText)[TEXT] : JSON.stringify(parameters ?? null)
}
