/**
 * Where the server is, as `pg` gets it: the URL, less what must not be left to it. Its `options` would
 * replace the settings of a connection, durability among them, so they are joined, and ours hold; its `application_name`
 * would replace ours; and `PGOPTIONS` is never asked, which would hold for some connections and not for others.
 */

export interface ServerAddress {
  readonly connectionString: string
  readonly options: string
}

/**
 * `pg` 8 verifies the certificate for each of these, as for `verify-full`, and warns on standard error
 * that it will not for ever: so it gets the name that stays.
 */
const VERIFYING = new Set(["prefer", "require", "verify-ca"])

/** Connections are known by names of ours (assert-alone.ts). */
const NOT_PASSED = ["application_name", "options"]

/** `url` has to be one. Of two settings of a name ours holds. */
export function toServerAddress(
  url: string,
  settings: Readonly<Record<string, string>>,
): ServerAddress {
  const given = readOptions(url)
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${escapeBlanks(value)}`)
  return {
    connectionString: toConnectionString(url, NOT_PASSED),
    options: `${given} ${ours.join(" ")}`.trim(),
  }
}

/** The URL without what would be sent as a setting of the session: also without `names`. */
export function toBareAddress(url: string, names: readonly string[]): string {
  return toConnectionString(url, [...NOT_PASSED, ...names])
}

function toConnectionString(url: string, dropped: readonly string[]): string {
  const address = new URL(url)
  const { searchParams } = address
  const isVerifying = VERIFYING.has(searchParams.get("sslmode") ?? "")
  if (!isVerifying && !dropped.some((name) => searchParams.has(name))) return url
  for (const name of dropped) searchParams.delete(name)
  if (isVerifying && searchParams.get("uselibpqcompat") !== "true") {
    searchParams.set("sslmode", "verify-full")
  }
  return address.href
}

/** The same, for sessions whose transactions can't write. */
export function toReadOnlyUrl(url: string): string {
  const address = new URL(url)
  const given = readOptions(url)
  address.searchParams.set("options", `${given} -c default_transaction_read_only=on`.trim())
  return address.href
}

function readOptions(url: string): string {
  return new URL(url).searchParams.get("options") ?? ""
}

function escapeBlanks(value: string): string {
  return value.replaceAll(/[\\ ]/g, "\\$&")
}

/** `-c name=value` and `--name=value`; a backslash stands before a blank of a value. */
const GIVEN = /\s*(?:-c\s*|--)([A-Za-z_][\w.-]*)=((?:\\.|[^\\\s])*)/gy

/**
 * The settings that the URL's `options` name, by name. Undefined where they hold something else, which no
 * statement could give a session.
 */
export function parseGivenSettings(url: string): Readonly<Record<string, string>> | undefined {
  const options = readOptions(url)
  const settings: Record<string, string> = {}
  let end = 0
  for (const [found, name = "", value = ""] of options.matchAll(GIVEN)) {
    end += found.length
    settings[name.replaceAll("-", "_")] = value.replaceAll(/\\(.)/g, "$1")
  }
  return options.slice(end).trim() === "" ? settings : undefined
}
