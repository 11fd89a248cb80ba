/** A model by the definition that its tasks name. */
import type { Model } from "../models/model.ts"
import type { Definition } from "../ports/definition-storage.ts"
import type { Digest } from "../values/digest.ts"
import { parseJson } from "../values/parse-json.ts"
import { readModelFile } from "./model-file.ts"

/**
 * A model without price, providers and words. Undefined if the body is not what its digest says, or no definition
 * that this release reads as it was written.
 */
export function parseModelDefinition(
  { body, digest: name, kind }: Definition,
  digest: Digest,
): Model | undefined {
  if (kind !== "model" || digest([body]) !== name) return undefined
  const read = readModelFile(parseJson(body))
  return read.kind === "model" && read.model.definition === body ? read.model : undefined
}
