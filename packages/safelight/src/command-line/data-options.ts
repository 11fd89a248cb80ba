/** The options of every command that works on the data, the configuration that they make, and the data itself. */
import type { DataOperator } from "@safelight/operator"
import { refused } from "../errors/command-error.ts"
import type { Configuration, ReadConfiguration } from "../configuration/configuration.ts"
import type { OperatorRequest } from "../operator/with-operator.ts"
import type { CommandContext } from "./command-context.ts"
import { option } from "./parameters.ts"

export interface DataOptions {
  readonly data?: string
  readonly database?: string
  readonly config?: string
}

export const CONFIG_OPTION = option(
  "<file>",
  "configuration file [SAFELIGHT_CONFIG] (default: safelight.config.json)",
)

export const ARTIFACTS_OPTION = option(
  "<place>",
  "where artifacts are: s3://bucket?endpoint=…&region=…, or a folder [SAFELIGHT_ARTIFACTS_URL]",
)

export const DATA_OPTIONS = {
  data: option("<folder>", "folder that holds everything [SAFELIGHT_DATA] (default: ./data)"),
  database: option(
    "<url>",
    "a PostgreSQL database in place of the folder's [SAFELIGHT_DATABASE_URL]",
  ),
  config: CONFIG_OPTION,
}

/** Calls `use` with the operator's functions over the data that the options name. Rejects as `withOperator` does. */
export async function useOperator<Result>(
  options: DataOptions,
  context: CommandContext,
  request: Pick<OperatorRequest, "mayCreate" | "purpose">,
  use: (operator: DataOperator, configuration: ReadConfiguration) => Promise<Result>,
): Promise<Result> {
  const { withOperator } = await import("../operator/with-operator.ts")
  const configuration = await loadDataConfiguration(options, context)
  const { environment } = context
  return withOperator({ ...request, configuration, environment }, (operator) =>
    use(operator, configuration),
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
