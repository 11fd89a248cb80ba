/**
 * Where the server is, as `pg` gets it: the URL, less what must not be left to it. Its `options` would
 * replace the settings of a connection, durability among them, so they are joined, and ours hold; and
 * `PGOPTIONS` is never asked, which would hold for some connections and not for others.
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

/** `settings` as `name=value`, with whatever a blank needs before it. `url` has to be one. */
export function toServerAddress(url: string, settings: readonly string[]): ServerAddress {
  const address = new URL(url)
  const { searchParams } = address
  const given = searchParams.get("options") ?? ""
  const isVerifying = VERIFYING.has(searchParams.get("sslmode") ?? "")
  const ours = settings.map((setting) => `-c ${setting}`).join(" ")
  // Of two settings of a name the later one holds.
  const options = `${given} ${ours}`.trim()
  if (given === "" && !isVerifying) return { connectionString: url, options }
  searchParams.delete("options")
  if (isVerifying && searchParams.get("uselibpqcompat") !== "true") {
    searchParams.set("sslmode", "verify-full")
  }
  return { connectionString: address.href, options }
}
