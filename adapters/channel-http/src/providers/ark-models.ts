/** The models of Ark: films of Seedance as tasks, pictures and edits of Seedream in the answer itself. */
import type { Json, ParameterValues } from "@safelight/core"
import { acceptsUnless, findSquareObstacles } from "../eligibility.ts"
import type { ProviderModel } from "../provider.ts"
import { findSeedanceObstacles, SEEDANCE_INPUTS, toSeedance } from "../seedance.ts"
import { findSeedreamEditObstacles, toSeedream, toSeedreamEdit } from "../seedream.ts"

export const TASKS = "/api/v3/contents/generations/tasks"
const PICTURES = "/api/v3/images/generations"

type ToBody = (parameters: ParameterValues) => Readonly<Record<string, Json>>

function toRequest(path: string, model: string, toBody: ToBody): ProviderModel["toRequest"] {
  return (parameters) => ({ method: "POST", path, json: { model, ...toBody(parameters) } })
}

export const seedanceTask: ProviderModel = {
  accepts: (parameters, ways) => acceptsUnless(findSeedanceObstacles(parameters, ways)),
  inputs: SEEDANCE_INPUTS,
  toRequest: toRequest(TASKS, "dreamina-seedance-2-5-260628", toSeedance),
}

export const seedreamPicture: ProviderModel = {
  accepts: (parameters) => acceptsUnless(findSquareObstacles(parameters)),
  toRequest: toRequest(PICTURES, "seedream-5-0-pro-260628", toSeedream),
}

export const seedreamEdit: ProviderModel = {
  accepts: (parameters) => acceptsUnless(findSeedreamEditObstacles(parameters)),
  toRequest: toRequest(PICTURES, "seedream-5-0-pro-260628", toSeedreamEdit),
}
