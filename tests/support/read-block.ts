/** A block of code of a README, so that what is shown there is what a test runs. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../architecture/workspaces.ts"

/** The only block of `language` that holds `words`. */
export function readBlock(path: string, language: string, words: string): string {
  const readme = readFileSync(join(ROOT, path), "utf8")
  const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const found = blocks.filter(([, kind, text]) => kind === language && text?.includes(words))
  assert.equal(found.length, 1, `${path} has ${found.length} blocks with ${words}`)
  return found[0]?.[2] ?? ""
}
