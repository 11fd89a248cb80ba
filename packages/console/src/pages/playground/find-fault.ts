/**
 * What the service says is wrong, at the field that it names: `parameters.elements[1].image_url`. A fault within a
 * field that shows no parts, or none of that name, is shown at the field itself.
 */
import type { ApiError } from "@safelight/client"

/** `parts` are the paths of the fields within, which show their faults themselves. */
export function findFault(
  error: ApiError | undefined,
  path: string,
  parts: readonly string[] = [],
): string | undefined {
  if (error === undefined) return undefined
  const isHere = (param: string | undefined): boolean =>
    param !== undefined && isWithin(param, path) && !parts.some((part) => isWithin(param, part))
  const detail = error.details.find(({ param }) => isHere(param))
  return detail?.message ?? (isHere(error.param) ? error.message : undefined)
}

function isWithin(param: string, path: string): boolean {
  return param === path || param.startsWith(`${path}.`) || param.startsWith(`${path}[`)
}
