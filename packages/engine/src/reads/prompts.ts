/**
 * The beginnings of prompts, by which people tell tasks apart in a list. A prompt is an input: once the inputs are
 * erased there is none. All those of a page are one read, and the engine keeps none.
 */
import type { Storage } from "@safelight/core"

/** UTF-16 units of what is shown of one. */
const MOST_CHARACTERS = 200

/**
 * A larger request is not read for its prompt: a page of a hundred is 6.4 MB at most. The longest prompt fits; media
 * as data URLs do not.
 */
const MOST_REQUEST_BYTES = 64 * 1024

/** The parameters that may be a model's prompt: the first that a task has is. */
const NAMES = ["prompt", "text"] as const

/** By task; a task without a prompt that is known, and small enough, is missing. */
export async function readPrompts(
  storage: Pick<Storage, "readRequests">,
  tasks: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bodies = await storage.readRequests({ tasks, mostBytes: MOST_REQUEST_BYTES })
  const prompts = new Map<string, string>()
  for (const [task, body] of bodies) {
    const prompt = findPrompt(JSON.parse(body))
    if (prompt !== undefined) prompts.set(task, toExcerpt(prompt))
  }
  return prompts
}

function findPrompt(parameters: unknown): string | undefined {
  if (typeof parameters !== "object" || parameters === null) return undefined
  const values = new Map<string, unknown>(Object.entries(parameters))
  return NAMES.map((name) => values.get(name)).find((value) => typeof value === "string")
}

/** Cut between characters: never within a pair of surrogates. */
export function toExcerpt(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const isWithinPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(
    text.slice(MOST_CHARACTERS - 1, MOST_CHARACTERS + 1),
  )
  return text.slice(0, isWithinPair ? MOST_CHARACTERS - 1 : MOST_CHARACTERS)
}
