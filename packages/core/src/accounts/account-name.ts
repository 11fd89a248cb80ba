/**
 * Names of accounts, and of everything else that people read in a list: a text that a terminal shows as
 * it is and that every database stores as it is.
 */
const MAX_LENGTH = 200

// oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** 1 to 200 UTF-16 units, well-formed, without control characters and without white space at either end. */
export function isAccountName(text: string): boolean {
  if (text === "" || text.length > MAX_LENGTH || text.trim() !== text) return false
  return text.isWellFormed() && !UNPRINTABLE.test(text)
}
