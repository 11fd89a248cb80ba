/** A list of texts as PostgreSQL writes an array down: for the few statements that take one as text. */
export function toArrayLiteral(texts: readonly string[]): string {
  const members = texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  return `{${members.join(",")}}`
}
