/** Numbers with defaults that a host may change, and the check of those that it gave. */
import { SafelightError } from "./safelight-error.ts"

export type Settings<Defaults> = { readonly [Name in keyof Defaults]: number }

/**
 * The defaults with a host's own numbers. Throws `invalid-configuration`, naming the setting, if one is
 * unknown or not a positive integer; `of` names whose they are, as in "of the engine".
 */
export function withDefaults<Defaults extends Readonly<Record<string, number>>>(
  defaults: Defaults,
  given: Partial<Settings<Defaults>> | undefined,
  of: string,
): Settings<Defaults> {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(defaults, name)) throw invalid(`${name} is not a setting ${of}`)
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      throw invalid(`${name} must be a positive integer`)
    }
  }
  return { ...defaults, ...given }
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
