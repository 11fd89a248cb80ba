/** The two options of every command that works on a data folder. */
import type { Command } from "commander"

export interface DataOptions {
  readonly data?: string
  readonly config?: string
}

export function addDataOptions(command: Command): Command {
  return command
    .option("--data <folder>", "folder that holds everything [SAFELIGHT_DATA] (default: ./data)")
    .option(
      "--config <file>",
      "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json)",
    )
}
