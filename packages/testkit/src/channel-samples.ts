/** A request for each public model that a channel may be asked for, with its defaults applied. */
import { imageEdit, MODELS, referenceToVideo, textToImage } from "@safelight/core"
import type { ChannelRequest, ParameterValues } from "@safelight/core"
import { createSampleInputs } from "./sample-inputs.ts"
import { toColour } from "./stubs/media/colour.ts"
import { createPng } from "./stubs/media/png-picture.ts"

const picture = createPng({ width: 256, height: 256, colour: toColour("a lighthouse") })

/** By the id of the model; the shortest that a film can be. */
const PARAMETERS: Readonly<Record<string, ParameterValues>> = {
  [textToImage.id]: { prompt: "a lighthouse at dusk" },
  [imageEdit.id]: {
    prompt: "in fog",
    image_urls: [`data:image/png;base64,${picture.toString("base64")}`],
  },
  [referenceToVideo.id]: { prompt: "waves at night", duration: 4 },
}

let requests = 0

/** With an upstream key of its own. Throws if the model is not public and `parameters` are missing. */
export function sampleRequest(model: string, parameters = PARAMETERS[model]): ChannelRequest {
  const known = MODELS.find(({ id }) => id === model)
  const check = known?.check(parameters)
  if (check?.kind === "invalid") throw new TypeError(`${model}: ${JSON.stringify(check.issues)}`)
  const checked = check?.parameters ?? parameters
  if (checked === undefined) throw new TypeError(`there are no parameters for ${model}`)
  requests += 1
  const task = `0190${requests.toString(16).padStart(4, "0")}-0000-7000-8000-000000000000`
  const { signal } = new AbortController()
  const upstreamKey = `${task}.1`
  const inputs = createSampleInputs()
  return { task, account: "account", model, inputs, parameters: checked, upstreamKey, signal }
}
