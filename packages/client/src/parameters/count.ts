/** How many files a task can make, and how a call for more is divided into tasks. */
import type { ModelInfo } from "../api/price-answers.ts"
import { createDraft, findModelOption, findParameter, type Draft } from "./draft.ts"

export const COUNT_NAMES = [
  "num_images",
  "num_videos",
  "count",
  "n",
  "num_outputs",
  "max_images",
] as const

/** The parameter that says how many. */
export function findCount(draft: Draft): string | undefined {
  return findModelOption(draft, "n")?.parameter ?? findParameter(draft, COUNT_NAMES)
}

/** `[4, 4, 2]` of 10, where a task makes 4. */
export function divide(info: ModelInfo, n: number): number[] {
  const draft = createDraft(info)
  const name = findCount(draft)
  const most = name === undefined ? 1 : Number(draft.schemas[name]?.maximum ?? n)
  const tasks = Math.ceil(n / most)
  return Array.from({ length: tasks }, (_, index) => Math.min(most, n - index * most))
}
