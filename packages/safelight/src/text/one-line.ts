/** Text from outside in one line of a terminal: it may hold anything. */

/** Control characters, line breaks among them, as single spaces. */
export function formatOneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+ */g, " ").trim()
}
