/** Where a restored backup, its original and their artifacts are, by the options of `safelight drill`. */
import { resolve } from "node:path"
import * as v from "valibot"
import type { CommandContext } from "../command-line/command-context.ts"
import type { Configuration, ReadConfiguration } from "../configuration/configuration.ts"
import { SHARED_SETTINGS } from "../configuration/file-schema.ts"
import { withPassword } from "../configuration/secret-settings.ts"
import { refused } from "../errors/command-error.ts"

export interface DrillPlace {
  readonly option: "--data" | "--database" | "--restored"
  readonly configuration: ReadConfiguration
}

export interface DrillPlaces {
  readonly copy: DrillPlace
  /** Undefined if none was named: a configured database may be the one that was lost. */
  readonly original: DrillPlace | undefined
}

interface DrillOptions {
  readonly restored: string
  readonly database?: string
  readonly data?: string
}

/** Throws a `CommandError`, naming the option. */
export function toDrillPlaces(
  configuration: Configuration,
  { data, database, restored }: DrillOptions,
  context: Pick<CommandContext, "environment" | "folder">,
): DrillPlaces {
  const {
    database: _database,
    listenDatabase: _listen,
    readDatabase: _read,
    ...rest
  } = configuration
  if (data !== undefined && database !== undefined)
    throw refused("give either --data or --database")

  function place(option: DrillPlace["option"], text: string, isUrl: boolean): DrillPlace {
    const where = isUrl
      ? { database: toUrl(option, text, context) }
      : { data: toFolder(option, text, context) }
    return { option, configuration: { ...rest, ...where } }
  }

  const copy = place("--restored", restored, isUrlLike(restored))
  const original =
    database !== undefined
      ? place("--database", database, true)
      : data !== undefined
        ? place("--data", data, false)
        : undefined
  requireTwo(copy, original)
  return { copy, original }
}

function isUrlLike(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
}

function toUrl(
  option: string,
  text: string,
  { environment }: Pick<CommandContext, "environment">,
): string {
  const { issues } = v.safeParse(SHARED_SETTINGS.database, text)
  if (issues === undefined) return withPassword(text, environment)
  throw refused(`${option}: ${issues[0].message}`)
}

function toFolder(
  option: string,
  text: string,
  { folder }: Pick<CommandContext, "folder">,
): string {
  if (text !== "") return resolve(folder, text)
  throw refused(`${option}: expected a data folder`)
}

/** What is compared with itself lacks nothing. */
function requireTwo(copy: DrillPlace, original: DrillPlace | undefined): void {
  const [one, other] = [copy, original].map((each) => {
    const { data, database } = each?.configuration ?? {}
    return database ?? data
  })
  if (original === undefined || one !== other) return
  throw refused(`--restored and ${original.option} name the same: name the copy and the original`)
}
