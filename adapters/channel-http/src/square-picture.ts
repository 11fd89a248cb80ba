/** What stands in the way of a picture where only our `square_hd` is made, and always checked. */
import type { ParameterValues, TextToImageParameters } from "@safelight/core"
import { findPictureObstacles, type Obstacles } from "./eligibility.ts"

/** Colours included: who takes them leaves those out. */
export function findSquareObstacles(parameters: ParameterValues): Obstacles {
  const { size } = parameters as TextToImageParameters
  return {
    ...findPictureObstacles(parameters),
    size: size !== "square_hd" && "only size square_hd is offered",
  }
}
