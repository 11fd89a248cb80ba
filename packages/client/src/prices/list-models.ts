/** What can be asked for, and at what price. */
import type { ModelInfo, ModelList } from "../api/price-answers.ts"
import { isModelList } from "../api/check-answers.ts"
import { MODELS_PATH, withQuery } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { readPages } from "../connection/read-pages.ts"
import type { CallOptions } from "../tasks/list-tasks.ts"

/** The largest page that a service gives. */
const MOST_MODELS = 500

/** All of them, in the service's order; it has few pages. */
export async function listModels(
  connection: Connection,
  { signal }: CallOptions,
): Promise<readonly ModelInfo[]> {
  const read = (cursor: string | undefined): Promise<ModelList> => {
    const query = cursor === undefined ? {} : { limit: MOST_MODELS, cursor }
    return connection.read(withQuery(MODELS_PATH, query), isModelList, { signal })
  }
  const models: ModelInfo[] = []
  for await (const page of readPages("the list of models", read)) models.push(...page.models)
  return models
}
