/** Pictures of those who make our `square_hd` and no other size of ours, and always check them. */
import type { Ineligible, ParameterValues, TextToImageParameters } from "@safelight/core"
import { acceptUnless } from "./ineligible.ts"

export function acceptsSquare(parameters: ParameterValues): true | Ineligible {
  const { enable_safety_checker: isChecked, size } = parameters as TextToImageParameters
  return acceptUnless(
    [size !== "square_hd", "size", "only size square_hd is offered"],
    [!isChecked, "enable_safety_checker", "the safety checker can't be turned off"],
  )
}

/** The same where colours can't be named either. */
export function acceptsPlainSquare(parameters: ParameterValues): true | Ineligible {
  const { background_color, colors } = parameters as TextToImageParameters
  const reason = "colours can't be chosen"
  const plain = acceptUnless(
    [background_color !== undefined, "background_color", reason],
    [colors.length > 0, "colors", reason],
  )
  return plain === true ? acceptsSquare(parameters) : plain
}
