/**
 * Whether directives in prompts are obeyed, by which anybody with a key forces an outcome. A public
 * service must not be opened so by forgetting a setting: unless told, only a first local start does,
 * the one on which somebody tries things out.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Configuration } from "./configuration/configuration.ts"

/** To be asked before the database is opened: opening makes it. */
export function decideSandbox(configuration: Configuration): boolean {
  const { data, database, studio } = configuration
  if (studio.sandbox !== undefined) return studio.sandbox
  if (database !== undefined || !isLocal(configuration)) return false
  return !existsSync(join(data, "safelight.db"))
}

/** Whether only this machine reaches the service; a public address says that a proxy stands before it. */
export function isLocal({ host, publicUrl }: Configuration): boolean {
  const isLoopback = host === "localhost" || host === "::1" || /^127\.[0-9.]+$/.test(host)
  return isLoopback && publicUrl === undefined
}
