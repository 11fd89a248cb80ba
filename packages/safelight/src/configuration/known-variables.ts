/** The variables that any command reads. A mistyped one would silently leave a default in force. */
import { configurationError } from "./configuration-fault.ts"
import { PLACES } from "./setting-places.ts"

/** Those that hold a secret, so that a file may hold it in their place: NAME_FILE. */
const SECRETS: readonly string[] = [
  "SAFELIGHT_API_KEY",
  "SAFELIGHT_DATABASE_URL",
  "SAFELIGHT_LISTEN_DATABASE_URL",
  "SAFELIGHT_READ_DATABASE_URL",
  "SAFELIGHT_SIGNING_KEY",
]

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(PLACES).map(([, name]) => name),
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`]),
  "SAFELIGHT_CONFIG",
  "SAFELIGHT_DEBUG",
  "SAFELIGHT_URL",
])

/**
 * Variables that begin so are free: the keys of channels to other Safelights, of which there may be several, and
 * those of the project's own tests, which start commands in their environment.
 */
const FREE = ["SAFELIGHT_UPSTREAM_KEY", "SAFELIGHT_TEST_"]

/** Whether it is one of our own that holds no secret. */
export function isPlainSetting(name: string): boolean {
  return KNOWN.has(name) && !SECRETS.includes(name)
}

/** Those that begin with SAFELIGHT_ and are not known, each in words for people. */
export function listStrayVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith("SAFELIGHT_") &&
        !FREE.some((beginning) => name.startsWith(beginning)) &&
        !KNOWN.has(name),
    )
    .map((name) => `${name}: no variable of this name is known`)
}

/** Throws `invalid-configuration`, naming the first that begins with SAFELIGHT_ and is not known. */
export function requireKnownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const [stray] = listStrayVariables(environment)
  if (stray !== undefined) throw configurationError(stray)
}
