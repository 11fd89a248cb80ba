/** Folders of another user: what this command would make in them stops the service of that user. */
import { statSync } from "node:fs"
import { warning, type Finding } from "./finding.ts"

export function findStranger(check: string, folder: string): Finding | undefined {
  const { uid } = statSync(folder)
  const own = process.getuid?.()
  if (own === undefined || uid === own) return undefined
  return warning(
    check,
    `${folder} belongs to user ${uid}, and this command runs as ${own}`,
    "run it as the user of the service (`sudo -u`)",
  )
}
