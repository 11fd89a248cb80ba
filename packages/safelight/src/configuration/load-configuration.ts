/**
 * Puts a configuration together: a flag wins over a variable, a variable over the file, the file over the
 * default. A value of the file is checked even if it loses; a variable that loses is not read.
 */
import { resolve } from "node:path"
import * as v from "valibot"
import { isModelData, type ModelPlace } from "../models/model-places.ts"
import type { Configuration, ReadConfiguration } from "./configuration.ts"
import { configurationError, listFaults, toConfigurationError } from "./configuration-fault.ts"
import { DEFAULTS } from "./defaults.ts"
import { findOwnerFault } from "./owner-fault.ts"
import { isBucket, isFile, SHARED_SETTINGS } from "./file-schema.ts"
import { requireKnownVariables } from "./known-variables.ts"
import { readCredentials, readVariable, withPassword } from "./secret-settings.ts"
import { withSecretFiles, type Environment } from "./secret-files.ts"
import { PLACES, type SharedSetting } from "./setting-places.ts"
import { readConfigurationFile, type FoundFile } from "./read-configuration-file.ts"

export interface ConfigurationSource {
  /** Flags as typed; undefined if they are absent. */
  readonly flags: ConfigurationFlags
  /** A secret may be in a file that NAME_FILE names, or a credential of systemd. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working directory: relative paths of flags and variables start here. */
  readonly folder: string
}

export interface ConfigurationFlags {
  readonly config?: string
  readonly host?: string
  readonly port?: string
  readonly data?: string
  readonly database?: string
  readonly listenDatabase?: string
  readonly readDatabase?: string
  readonly artifacts?: string
  readonly role?: string
  readonly publicUrl?: string
  readonly metrics?: true
  readonly metricsHost?: string
  readonly metricsPort?: string
  readonly logLevel?: string
  readonly sandbox?: true
}

/**
 * The configuration with its models, whose files are run for it, so it rejects if they may not. Rejects with `invalid-configuration`, naming the
 * source and the field.
 */
export async function loadConfiguration(source: ConfigurationSource): Promise<Configuration> {
  const { configuration, name } = await read(source)
  if (configuration.codeFault !== undefined) throw configurationError(configuration.codeFault)
  const { loadModels } = await import("../models/load-models.ts")
  const { findMoneyFault } = await import("../models/model-prices.ts")
  const models = await loadModels(configuration.modelFiles)
  const fault = findMoneyFault(models, configuration)
  if (fault === undefined) return { ...configuration, models }
  throw configurationError(`${name === undefined ? "" : `${name}: `}${fault}`)
}

/**
 * The same without its models, for commands that need none: the data must be accessible even if a model's file
 * is broken or gone.
 */
export async function readConfiguration(source: ConfigurationSource): Promise<ReadConfiguration> {
  return (await read(source)).configuration
}

interface Read {
  readonly configuration: ReadConfiguration
  /** The name of the file that was read. */
  readonly name: string | undefined
}

async function read(given: ConfigurationSource): Promise<Read> {
  requireKnownVariables(given.environment)
  const environment = withSecretFiles(given.environment, given.folder)
  const source = { ...given, environment }
  const named = source.flags.config ?? readVariable(source.environment, "SAFELIGHT_CONFIG")
  const found = await readConfigurationFile({ path: named, folder: source.folder })
  const { data, sandbox, ...typed } = readAllTyped(source)
  const { models: modelFiles = [], ...file } = found?.content ?? {}
  const { models: _models, ...defaults } = DEFAULTS
  const folder = found?.folder ?? source.folder
  const codeFault = named === undefined ? await findCodeFault(found) : undefined
  const configuration = {
    ...defaults,
    ...file,
    ...typed,
    data: toData(data, file.data, { folder, source }),
    studio: toStudio(found, sandbox),
    checkpoints: toCheckpoints(file.checkpoints, folder, environment),
    modelFiles: modelFiles.map((place) =>
      typeof place === "string" ? resolve(folder, place) : place,
    ),
    ...(found !== undefined && { file: found.path }),
    ...(codeFault !== undefined && { codeFault }),
  }
  assertTogether(configuration)
  const channels = toChannels(configuration.channels, folder)
  const places = readPlaces(configuration, source, found?.folder)
  return { configuration: { ...configuration, channels, ...places }, name: found?.name }
}

function isCode(place: ModelPlace): boolean {
  return typeof place === "string" && !isModelData(place)
}

/** Of the default file: whoever names a file says that it is theirs. */
async function findCodeFault(found: FoundFile | undefined): Promise<string | undefined> {
  if (found === undefined) return undefined
  const { channels = [], models = [] } = found.content
  const hasCode = models.some(isCode) || channels.some(({ module }) => module !== undefined)
  return hasCode ? findOwnerFault(found) : undefined
}

/** The path that was typed; otherwise the file's, which is relative to the file. */
function toData(
  typed: string | undefined,
  written: string | undefined,
  { folder, source }: { readonly folder: string; readonly source: ConfigurationSource },
): string {
  if (typed === undefined && written !== undefined) return resolve(folder, written)
  return resolve(source.folder, typed ?? DEFAULTS.data)
}

/** Paths of files are relative to the configuration file. */
function toCheckpoints(
  { copies, ...said }: Configuration["checkpoints"] = {},
  folder: string,
  environment: Environment,
): Configuration["checkpoints"] {
  const signingKey = readVariable(environment, "SAFELIGHT_SIGNING_KEY")
  return {
    ...said,
    ...(copies && {
      copies: copies.map((place) => (isFile(place) ? resolve(folder, place) : place)),
    }),
    ...(signingKey !== undefined && { signingKey }),
  }
}

/** Paths of modules and workflows are relative to the file. */
function toChannels(
  channels: Configuration["channels"],
  folder: string,
): Configuration["channels"] {
  return channels.map(({ module, workflows, ...settings }) => ({
    ...settings,
    ...(module !== undefined && { module: resolve(folder, module) }),
    ...(workflows !== undefined && { workflows: toAbsolute(workflows, folder) }),
  }))
}

function toAbsolute(
  files: Readonly<Record<string, string>>,
  folder: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([id, file]) => [id, resolve(folder, file)]))
}

/** With a configuration file it is no first try: then only a setting switches the sandbox on. */
function toStudio(
  found: FoundFile | undefined,
  sandbox: boolean | undefined,
): Configuration["studio"] {
  const said = found?.content.studio ?? {}
  const unsaid = found === undefined ? {} : { sandbox: false }
  return { ...unsaid, ...said, ...(sandbox !== undefined && { sandbox }) }
}

/** Of the same database as `database`. */
const OTHER_ADDRESSES = ["listenDatabase", "readDatabase"] as const

/** Checks settings that depend on each other. */
function assertTogether({ database, role, ...others }: ReadConfiguration): void {
  if (database !== undefined) return
  const name = OTHER_ADDRESSES.find((each) => others[each] !== undefined)
  if (name !== undefined) throw configurationError(`${name} needs PostgreSQL; --database names it`)
  if (role === "all") return
  throw configurationError(`role: "${role}" needs PostgreSQL; --database names it`)
}

type DatabaseAddress = "database" | (typeof OTHER_ADDRESSES)[number]

/**
 * A folder for artifacts is relative to its source. A bucket's credentials are in the environment, and so may be the
 * database's password.
 */
function readPlaces(
  { artifacts, checkpoints: { copies = [] }, ...databases }: ReadConfiguration,
  source: ConfigurationSource,
  fileFolder: string | undefined,
): Pick<ReadConfiguration, "artifacts" | "credentials" | DatabaseAddress> {
  const { environment } = source
  const places = [...copies, ...(artifacts === undefined ? [] : [artifacts])]
  const credentials = places.some(isBucket) ? readCredentials(environment) : undefined
  const isTyped = readTyped(source, "artifacts") !== undefined
  const start = isTyped ? source.folder : (fileFolder ?? source.folder)
  const addresses = (["database", ...OTHER_ADDRESSES] as const).flatMap((name) => {
    const url = databases[name]
    return url === undefined ? [] : [[name, withPassword(url, environment)] as const]
  })
  return {
    ...(Object.fromEntries(addresses) as Pick<ReadConfiguration, DatabaseAddress>),
    ...(credentials !== undefined && { credentials }),
    ...(artifacts !== undefined &&
      !artifacts.startsWith("s3:") && { artifacts: resolve(start, artifacts) }),
  }
}

type SharedValue<Name extends SharedSetting> = v.InferOutput<(typeof SHARED_SETTINGS)[Name]>

type Typed = { readonly [Name in SharedSetting]?: SharedValue<Name> }

/** The settings of flags and variables; the others are absent. */
function readAllTyped(source: ConfigurationSource): Typed {
  const names = Object.keys(PLACES) as readonly SharedSetting[]
  const entries = names.map((name) => [name, readTyped(source, name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** What is wrong with each flag and variable by itself. */
export function listTypedFaults(source: ConfigurationSource): readonly string[] {
  return (Object.keys(PLACES) as readonly SharedSetting[]).flatMap((name) => {
    try {
      readTyped(source, name)
      return []
    } catch (error) {
      return listFaults(error)
    }
  })
}

/** The value of the flag or, without one, of the variable. */
function readTyped<Name extends SharedSetting>(
  source: ConfigurationSource,
  name: Name,
): SharedValue<Name> | undefined {
  const [flag, variable] = PLACES[name]
  const typed = source.flags[name]
  const text = typed ?? readVariable(source.environment, variable)
  if (text === undefined) return undefined
  const value = toValue(name, text)
  const result = v.safeParse(SHARED_SETTINGS[name], value, { abortPipeEarly: true })
  if (result.success) return result.output
  throw toConfigurationError(typed === undefined ? variable : flag, result.issues)
}

/** As the schemas take it; a flag without a value is true. */
function toValue(name: SharedSetting, text: string | true): unknown {
  if (name === "metrics" || name === "sandbox")
    return text === true || text === "true" || (text === "false" ? false : text)
  return name === "port" || name === "metricsPort" ? toNumber(String(text)) : text
}

function toNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : NaN
}
