/** Shortening what a finding quotes: data may be megabytes, a report stays small. */

const LONGEST_CHARACTERS = 160

/** `text`, cut to what a line can hold. */
export function excerpt(text: string): string {
  if (text.length <= LONGEST_CHARACTERS) return text
  return `${text.slice(0, LONGEST_CHARACTERS).toWellFormed()}… (${text.length} characters)`
}

/** Two texts from just before their first difference, cut to what a line can hold. */
export function excerptsWhereApart(one: string, other: string): [string, string] {
  let apart = 0
  while (apart < one.length && one[apart] === other[apart]) apart += 1
  const start = Math.max(0, apart - 20)
  const lead = start === 0 ? "" : "…"
  return [`${lead}${excerpt(one.slice(start))}`, `${lead}${excerpt(other.slice(start))}`]
}
