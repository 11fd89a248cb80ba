/**
 * The models that a host or the configuration's files define, checked before anything is opened; and how the
 * threads of the HTTP adapter load those of files.
 */
import { MODELS, SafelightError, type Model } from "@safelight/core"
import type { ThreadModels } from "@safelight/http"
import type { Configuration } from "../configuration/configuration.ts"
import { toModel } from "./check-model.ts"

/** Throws `invalid-configuration`, naming the model. */
export function toServedModels({ models }: Pick<Configuration, "models">): readonly Model[] {
  return models.map((model) =>
    MODELS.includes(model) || model.definition !== undefined
      ? model
      : toModel(model, (why, cause) =>
          invalid(`models: ${JSON.stringify(model.id)} ${why}`, cause),
        ),
  )
}

export function toThreadModels({ modelFiles }: Pick<Configuration, "modelFiles">): {
  readonly threadModels?: ThreadModels
} {
  if (modelFiles.length === 0) return {}
  return { threadModels: { module: LOADER.href, argument: modelFiles } }
}

const LOADER = new URL(
  import.meta.url.endsWith(".ts") ? "./load-models.ts" : "./load-models.js",
  import.meta.url,
)

function invalid(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message, cause })
}
