/**
 * The console's files, as the HTTP handler serves them: listed once, when the service starts. A checkout whose
 * console was never built serves none, and `/` is then an unknown path.
 */
import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { consoleFolder } from "@safelight/console"
import type { Log } from "@safelight/core"
import type { PageFiles } from "@safelight/http"

export async function listConsoleFiles(
  log: Log,
  folder: string = fileURLToPath(consoleFolder),
): Promise<PageFiles | undefined> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    return { names, read: (name) => readFile(join(folder, name)) }
  } catch (error) {
    log.warn({ error }, "console not found")
    return undefined
  }
}
