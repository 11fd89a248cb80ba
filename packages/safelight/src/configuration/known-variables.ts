/** The variables that any command reads. A mistyped one would silently leave a default in force. */
import { configurationError } from "./configuration-fault.ts"
import { PLACES } from "./setting-places.ts"

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(PLACES).map(([, name]) => name),
  "SAFELIGHT_API_KEY",
  "SAFELIGHT_CONFIG",
  "SAFELIGHT_DEBUG",
  "SAFELIGHT_URL",
])

/**
 * Variables that begin so are free: the keys of channels to other Safelights, of which there may be several, and
 * those of the project's own tests, which start commands in their environment.
 */
const FREE = ["SAFELIGHT_UPSTREAM_KEY", "SAFELIGHT_TEST_"]

/** Throws `invalid-configuration`, naming the first that begins with SAFELIGHT_ and is not known. */
export function requireKnownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const stray = Object.keys(environment).find(
    (name) =>
      name.startsWith("SAFELIGHT_") &&
      !FREE.some((beginning) => name.startsWith(beginning)) &&
      !KNOWN.has(name),
  )
  if (stray !== undefined) throw configurationError(`${stray}: no variable of this name is known`)
}
