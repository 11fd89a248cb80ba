/**
 * Labels as a request carries them. The service decides which keys and values it takes; what can't stand in
 * a header at all is refused here, where the error can name the label.
 */

/** Values by key: `{ project: "spring" }`. */
export type Labels = Readonly<Record<string, string>>

/** The header of a submission; none without labels. Throws a `TypeError` for what no header can hold. */
export function toLabelHeader(labels: Labels = {}): Readonly<Record<string, string>> {
  const entries = Object.entries(labels)
  return entries.length === 0 ? {} : { "safelight-label": entries.map(toMember).join(", ") }
}

/** Quoted whatever it is: a comma would end it, and spaces around it would be dropped. */
function toMember([key, value]: readonly [string, string]): string {
  const isPrintable = /^[!#-+\--<>-~]+$/.test(key) && /^[ -~]*$/.test(value)
  if (!isPrintable) throw new TypeError(`labels: ${JSON.stringify(key)} is not printable ASCII`)
  return `${key}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
