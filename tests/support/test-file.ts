/**
 * Which file a test belongs to: the one that was run, since suites of a contract stand in files of their
 * own; if several were run in one process, the one where the test stands.
 */
import { relative, sep } from "node:path"

export interface TestPlace {
  readonly entryFile?: string
  readonly file?: string
}

/** From the folder of all tests, with forward slashes. */
export function toTestFile(folder: string, { entryFile, file }: TestPlace): string {
  const isBundle = entryFile !== undefined && !entryFile.startsWith(folder)
  const path = (isBundle ? file : (entryFile ?? file)) ?? folder
  return relative(folder, path).split(sep).join("/")
}
