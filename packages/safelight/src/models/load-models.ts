/**
 * The public models: the three, and those of the operator's files. The threads that check large requests run
 * this too, and load the files anew.
 */
import { MODELS, type Model } from "@safelight/core"
import { importDefault, invalidModule } from "../configuration/import-module.ts"
import { toModel } from "./check-model.ts"

/** `paths` are absolute. Rejects with `invalid-configuration`, naming the file and what is wrong with it. */
export async function loadModels(paths: readonly string[]): Promise<readonly Model[]> {
  const taken = new Map(MODELS.map(({ id }) => [id, "one of the three has already"]))
  const own: Model[] = []
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- in order, so that the first fault is the one reported
    const exported = await importDefault("models", path)
    const refuse = (why: string, cause?: unknown): Error =>
      invalidModule("models", path, why, cause)
    const model = toModel(exported, refuse)
    const owner = taken.get(model.id)
    if (owner !== undefined) throw refuse(`has the id ${model.id}, which ${owner}`)
    taken.set(model.id, `module ${path} has already`)
    own.push(model)
  }
  return [...MODELS, ...own]
}
