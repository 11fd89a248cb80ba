/**
 * Removes passwords of databases from text that a message repeats. A mistyped flag, or a URL in place of a
 * file's name, must not show one on a terminal or in a log, even after it was read as a path.
 */

/** Up to the last `@` of the line, or all of it: a password that was not escaped may hold anything. */
const USER = /([a-z][a-z0-9+.-]*:\/+[^\s:@/]*:).*@/gi
const PARAMETER = /\b(password|secret)=.+/gi

/** The text with an ellipsis in place of each. */
export function hidePasswords(text: string): string {
  return text.replaceAll(USER, "$1…@").replaceAll(PARAMETER, "$1=…")
}
