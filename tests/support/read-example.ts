/** A file to which the page about models of one's own links, so that what is shown there is what a test runs. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ROOT } from "../architecture/workspaces.ts"

export function readExample(name: string): string {
  return readFileSync(join(ROOT, "packages/safelight/docs/examples", name), "utf8")
}
