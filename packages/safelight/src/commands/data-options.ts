/** The options of every command that works on the data, and the configuration that they make. */
import type { Command } from "commander"
import { refused } from "../command-error.ts"
import type { Configuration, ReadConfiguration } from "../configuration/configuration.ts"
import type { CommandContext } from "./command-context.ts"

export interface DataOptions {
  readonly data?: string
  readonly database?: string
  readonly config?: string
}

export function addDataOptions(command: Command): Command {
  return command
    .option("--data <folder>", "folder that holds everything [SAFELIGHT_DATA] (default: ./data)")
    .option(
      "--database <url>",
      "a PostgreSQL database in place of the folder's [SAFELIGHT_DATABASE_URL]",
    )
    .option(
      "--config <file>",
      "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json)",
    )
}

/**
 * For commands that work on the database alone. Rejects if `--data` was typed and a database from the variable or
 * the file would be used instead, and as `readConfiguration` does.
 */
export async function loadDataConfiguration(
  options: DataOptions,
  context: CommandContext,
): Promise<ReadConfiguration> {
  const { readConfiguration } = await import("../configuration/load-configuration.ts")
  const { environment, folder } = context
  const configuration = await readConfiguration({ flags: options, environment, folder })
  requireOnePlace(configuration, options, context)
  return configuration
}

/** The same, with the models, whose files are run for it. */
export async function loadDataAndModels(
  options: DataOptions,
  context: CommandContext,
): Promise<Configuration> {
  const { loadConfiguration } = await import("../configuration/load-configuration.ts")
  const { environment, folder } = context
  const configuration = await loadConfiguration({ flags: options, environment, folder })
  requireOnePlace(configuration, options, context)
  return configuration
}

function requireOnePlace(
  configuration: ReadConfiguration,
  options: DataOptions,
  context: CommandContext,
): void {
  const { data, database } = options
  if (data === undefined || database !== undefined || configuration.database === undefined) return
  throw refused(
    `--data names the folder ${configuration.data}, ${nameDatabaseSource(options, context)} ` +
      "a PostgreSQL database: leave out one of the two",
  )
}

/** What names the database that is configured; never its URL, which may hold a password. */
export function nameDatabaseSource(
  { database }: DataOptions,
  { environment }: CommandContext,
): string {
  if (database !== undefined) return "--database"
  // An empty variable counts as none.
  const isVariable = (environment["SAFELIGHT_DATABASE_URL"] ?? "") !== ""
  return isVariable ? "SAFELIGHT_DATABASE_URL" : "`database` in the configuration file"
}
