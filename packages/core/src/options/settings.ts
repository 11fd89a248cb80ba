/** The numbers that a package runs by, each with a default that a host may change. */
import { SafelightError } from "../errors/safelight-error.ts"
import { POSITIVE, takeIntegers, type IntegerBounds } from "./integer-options.ts"

export type Settings<Defaults> = { readonly [Name in keyof Defaults]: number }

/**
 * The defaults with a host's own numbers. Throws `invalid-configuration`, naming the setting, if one is
 * unknown, or is not a positive integer or within the bounds that `others` names for it. `of` says whose
 * settings they are, as in "of the engine".
 */
export function withDefaults<Defaults extends Readonly<Record<string, number>>>(
  defaults: Defaults,
  given: Partial<Settings<Defaults>> | undefined,
  of: string,
  others: { readonly [Name in keyof Defaults]?: IntegerBounds } = {},
): Settings<Defaults> {
  const options = given ?? {}
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(defaults, name))
  if (unknown !== undefined) {
    const message = `${unknown} is not a setting ${of}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const names = Object.keys(defaults) as (keyof Defaults & string)[]
  const bounds = Object.fromEntries(names.map((name) => [name, others[name] ?? POSITIVE]))
  return takeIntegers({ bounds, defaults, options }) as Settings<Defaults>
}
