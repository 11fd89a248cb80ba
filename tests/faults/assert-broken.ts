/** For tests of the oracle's rules: what a rule names as broken, and that it names this and nothing else. */
import assert from "node:assert/strict"

/** The words of what was broken. */
export function listen(judge: (fail: (words: string) => void) => void): readonly string[] {
  const broken: string[] = []
  judge((words) => void broken.push(words))
  return broken
}

/** Each pattern for one of the words, in order. */
export function assertBroken(broken: readonly string[], ...patterns: readonly RegExp[]): void {
  assert.equal(broken.length, patterns.length, broken.join("; "))
  for (const [index, pattern] of patterns.entries()) assert.match(broken[index] ?? "", pattern)
}
