/** The name of an account as it is typed. */
import { isAccountName } from "@safelight/core"
import { InvalidArgumentError } from "commander"

/** Throws commander's error for a name that is too long, or has characters that a terminal does not show. */
export function parseAccountName(name: string): string {
  if (isAccountName(name)) return name
  throw new InvalidArgumentError("expected 1 to 200 printable characters.")
}
