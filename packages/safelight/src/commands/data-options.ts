/** The options of every command that works on data. */
import type { Command } from "commander"

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
