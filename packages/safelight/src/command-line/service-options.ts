/** The options of every command that calls a service, and the client that they make. */
import { createClient, type Client } from "@safelight/client"
import { InvalidArgumentError } from "commander"
import { refused } from "../errors/command-error.ts"
import { requireKnownVariables } from "../configuration/known-variables.ts"
import { toSourceName } from "../configuration/secret-files.ts"
import { durationWithin } from "./option-values.ts"
import type { CommandContext } from "./command-context.ts"
import { option } from "./parameters.ts"

export interface ServiceOptions {
  readonly url?: string
  readonly timeout?: number
  readonly key?: string
}

const DEFAULT_URL = "http://127.0.0.1:8080"
/** The service itself gives a request as long to arrive. */
const TIMEOUT_MS = 120_000

export const SERVICE_OPTIONS = {
  url: option("<url>", `address of the service [SAFELIGHT_URL] (default: ${DEFAULT_URL})`),
  timeout: option(
    "<duration>",
    "how long the service may be silent (default: 2m)",
    durationWithin({ minMs: 1_000, maxMs: 3_600_000 }),
  ),
  key: option(
    "<key>",
    "API key; the variable does not show in a list of processes [SAFELIGHT_API_KEY]",
  ),
}

/** An id or key that becomes part of a path: the client refuses dots, which would make it another path. */
export function parseName(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new InvalidArgumentError("expected a name.")
  return text
}

export function toClient(options: ServiceOptions, { clock, environment }: CommandContext): Client {
  requireKnownVariables(environment)
  const key = options.key ?? environment["SAFELIGHT_API_KEY"] ?? ""
  if (key === "") {
    const message = "an API key is needed: set SAFELIGHT_API_KEY or give --key"
    throw refused(message)
  }
  // An empty variable counts as none.
  const url = options.url ?? (environment["SAFELIGHT_URL"] || DEFAULT_URL)
  const settings = { silenceMs: options.timeout ?? TIMEOUT_MS }
  try {
    return createClient({ url, key, settings, ...(clock !== undefined && { clock }) })
  } catch (error) {
    // The message begins with the name of the option.
    const [, name = "", words = ""] = /^(\w+)(.*)$/s.exec((error as Error).message) ?? []
    throw refused(`${toOptionName(name, options, environment)}${words}`, error)
  }
}

const VARIABLES: Readonly<Record<string, string>> = {
  key: "SAFELIGHT_API_KEY",
  url: "SAFELIGHT_URL",
}

/** As the person has given it: on the command line, or else by a variable. */
function toOptionName(
  name: string,
  options: ServiceOptions,
  environment: CommandContext["environment"],
): string {
  const variable = VARIABLES[name]
  if (variable === undefined || options[name as keyof ServiceOptions] !== undefined) {
    return `--${name}`
  }
  return toSourceName(environment, variable)
}
