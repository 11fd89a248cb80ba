/** The name of an account as it is typed. */
import { InvalidArgumentError } from "commander"
import { toOneLine } from "../failure-line.ts"

/** As long as a name that people read; what a terminal would not show is refused. */
export function parseAccountName(name: string): string {
  if (name.trim() !== "" && name.length <= 200 && toOneLine(name) === name) return name
  throw new InvalidArgumentError("expected 1 to 200 printable characters.")
}
