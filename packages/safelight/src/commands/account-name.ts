/** The name of an account as it is typed. */
import { isAccountName } from "@safelight/core"
import { InvalidArgumentError } from "commander"

/** As long as a name that people read; what a terminal would not show is refused. */
export function parseAccountName(name: string): string {
  if (isAccountName(name)) return name
  throw new InvalidArgumentError("expected 1 to 200 printable characters.")
}
