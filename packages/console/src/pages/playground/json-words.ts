/** JSON that is being written. */

/** What is not JSON yet is sent as text, and the service says what it expects. */
export function toJson(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function toJsonText(value: unknown): string {
  if (value === undefined) return ""
  return typeof value === "string" ? value : JSON.stringify(value, null, 2)
}
