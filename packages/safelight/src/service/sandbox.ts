/**
 * Whether directives in prompts are obeyed, by which anybody with a key can force an outcome. A forgotten setting
 * must not open a public service to that: by default only a first local start obeys them, on which somebody
 * tries things out.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Configuration } from "../configuration/configuration.ts"

/** Must be called before the database is opened, since opening creates it. */
export function decideSandbox(configuration: Configuration): boolean {
  const { data, database, studio } = configuration
  if (studio.sandbox !== undefined) return studio.sandbox
  if (database !== undefined || !isLocal(configuration)) return false
  return !existsSync(join(data, "safelight.db"))
}

/** Whether only this machine reaches the service. A public URL means that there is a proxy in front of it. */
export function isLocal({ host, publicUrl }: Configuration): boolean {
  const isLoopback = host === "localhost" || host === "::1" || /^127\.[0-9.]+$/.test(host)
  return isLoopback && publicUrl === undefined
}
