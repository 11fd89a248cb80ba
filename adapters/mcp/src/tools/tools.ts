/** Every tool, in the order in which an agent sees them. A new one is added here. */
import { cancelTask } from "./cancel-task.ts"
import { describeModel } from "./describe-model.ts"
import { getTask } from "./get-task.ts"
import { listModels } from "./list-models.ts"
import { mediaTools } from "./media-tools.ts"
import { quote } from "./quote.ts"
import type { Tool } from "./tool.ts"

/** A map, so that `__proto__` and `constructor` name no tool. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [listModels, describeModel, quote, ...mediaTools, getTask, cancelTask].map((tool) => [
    tool.name,
    tool,
  ]),
)
