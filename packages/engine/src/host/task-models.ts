/**
 * The model that a task was accepted for. A model that is a file of JSON has a definition, which is kept beside the
 * log before the first task that names it; such a task keeps its meaning also once the file was changed or removed.
 */
import { parseModelDefinition, type Log, type Model, type Task } from "@safelight/core"
import { sha256 } from "./sha256.ts"
import type { Ports } from "./ports.ts"

type OfModel = Pick<Task, "definition" | "model">

export interface TaskModels {
  /**
   * What a task of a served model names; undefined if no file of JSON defines it. It is a promise where the
   * definition has to be kept first, which rejects as the storage does.
   */
  define(model: Model): string | undefined | Promise<string>
  /** Undefined if this node does not know it, or has not read it yet: see `find`. */
  of(task: OfModel): Model | undefined
  /** As `of`, once the definition was read where it had to be. Rejects as the storage does. */
  find(task: OfModel): Promise<Model | undefined>
}

export function createTaskModels({
  log,
  models,
  storage,
}: Pick<Ports, "models" | "storage"> & { readonly log: Log }): TaskModels {
  const digests = new Map<string, string>()
  const kept = new Set<string>()
  /** By digest; undefined if this release can't read it. Operators make them, so that there are never many. */
  const former = new Map<string, Model | undefined>()

  function toDigest({ definition, id }: Model): string | undefined {
    if (definition === undefined) return undefined
    const known = digests.get(id) ?? sha256([definition])
    digests.set(id, known)
    return known
  }

  async function keep(digest: string, body: string): Promise<string> {
    await storage.keepDefinitions([{ kind: "model", digest, body }])
    kept.add(digest)
    return digest
  }

  async function read(digest: string, task: OfModel): Promise<void> {
    const definition = await storage.findDefinition(digest)
    // Another node may be about to keep it.
    if (definition === undefined) return
    const model = parseModelDefinition(definition, sha256)
    former.set(digest, model)
    if (model === undefined) log.error({ model: task.model, digest }, "definition unreadable")
  }

  function of({ definition, model: id }: OfModel): Model | undefined {
    const model = models.get(id)
    if (definition === undefined) return model
    return model !== undefined && toDigest(model) === definition ? model : former.get(definition)
  }

  return {
    define(model) {
      const digest = toDigest(model)
      if (digest === undefined || kept.has(digest)) return digest
      return keep(digest, model.definition ?? "")
    },
    of,
    async find(task) {
      const { definition } = task
      const isUnread = definition !== undefined && !former.has(definition)
      if (isUnread && of(task) === undefined) await read(definition, task)
      return of(task)
    },
  }
}
